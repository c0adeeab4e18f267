import Foundation
import ReceiptForge

// Fuzz TARGET seeds FOLDER        writes the initial inputs of a search
// Fuzz TARGET evaluate FILE…      prints the target's answers to files
// Fuzz TARGET [option | folder]…  fuzzes; the options are libFuzzer's

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

@_silgen_name("LLVMFuzzerMutate")
private func mutateByFuzzer(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

/// The target of this process. The fuzzer's callbacks do not name it.
private let target: Check = {
    let names = (Check.all + Check.alone).map(\.name)
    guard CommandLine.arguments.count > 1, let check = Check.named(CommandLine.arguments[1]) else {
        print("targets: \(names.joined(separator: " "))")
        exit(64)
    }
    return check
}()

@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        _ = target
        if arguments.count == 4, arguments[2] == "seeds" {
            for (number, seed) in try target.seeds().enumerated() {
                try Data(seed).write(to: URL(filePath: arguments[3]).appending(path: "seed-\(number)"))
            }
        } else if arguments.count > 3, arguments[2] == "evaluate" {
            for path in arguments.dropFirst(3) {
                let outcome = target.evaluate([UInt8](try Data(contentsOf: URL(filePath: path))))
                print("\(path): \(outcome.answer)", outcome.fault.map { "FAULT: \($0)" } ?? "")
            }
        } else {
            fuzz()
        }
    }

    private static func fuzz() {
        // Replaces the target's name, which the fuzzer would take for a folder.
        var arguments = CommandLine.arguments
        arguments[1] = "-max_len=\(target.longest)"
        var count = Int32(arguments.count)
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { pointers[index] = strdup(argument) }
        pointers[arguments.count] = nil
        var start = pointers
        exit(runDriver(&count, &start, test))
    }
}

private func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let outcome = target.evaluate(Array(UnsafeBufferPointer(start: bytes, count: count)))
    if let fault = outcome.fault { fatalError("\(target.name): \(outcome.answer): \(fault)") }
    return 0
}

/// Mutates half of the inputs by the target's structure, and half with the fuzzer's own mutator.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32)
    -> Int
{
    guard seed & 1 == 0, target.form != .bytes else { return mutateByFuzzer(bytes, count, capacity) }
    var mutator = TLVMutator(seed: UInt64(seed))
    mutator.mutateBytes = { content, _ in
        let capacity = content.count + 64
        let old = content.count
        content += [UInt8](repeating: 0, count: 64)
        let new = content.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mutateByFuzzer($0, old, capacity) } ?? 0
        }
        content.removeLast(capacity - new)
    }
    let mutant = target.mutant(of: Array(UnsafeBufferPointer(start: bytes, count: count)), &mutator)
    guard !mutant.isEmpty, mutant.count <= capacity else { return mutateByFuzzer(bytes, count, capacity) }
    _ = UnsafeMutableBufferPointer(start: bytes, count: mutant.count).update(fromContentsOf: mutant)
    return mutant.count
}
