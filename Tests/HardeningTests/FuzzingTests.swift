import Foundation
import ReceiptForge
import Testing

/// A part of the fuzzing with fixed seeds, so that it is the same on every machine. `Tests/Fuzz/run` does the
/// rest.
struct FuzzingTests {
    /// The number of mutants for each target. Under a sanitizer, `HARDENING_SHARE` gives a percentage.
    static let count: Int = {
        let share = ProcessInfo.processInfo.environment["HARDENING_SHARE"].flatMap(Int.init) ?? 100
        return 150 * share / 100
    }()

    @Test(arguments: Check.all.map(\.name))
    func mutantsHaveNoFault(target: String) throws {
        let check = try #require(Check.named(target))
        // Without optimization, a large seed takes as long as many small ones.
        let seeds = try check.seeds().filter { $0.count < 6000 }
        var mutator = TLVMutator(seed: 0x5EED)
        for number in 0..<Self.count {
            let seed = seeds[Int(mutator.random.next() % UInt64(seeds.count))]
            let mutant = check.mutant(of: seed, &mutator)
            if let fault = check.evaluate(mutant).fault {
                Issue.record("mutant \(number), base64 \(Data(mutant).base64EncodedString()): \(fault)")
                return
            }
        }
    }

    @Test(arguments: Check.all.map(\.name))
    func seedsHaveNoFault(target: String) throws {
        let check = try #require(Check.named(target))
        for (number, seed) in try check.seeds().enumerated() {
            #expect(check.evaluate(seed).fault == nil, "seed \(number)")
        }
    }

    /// Checks every input that ever failed against its right answer in `Fixtures/regressions`.
    @Test
    func regressionsHaveTheRightAnswers() throws {
        let answers = try JSONDecoder().decode(
            [String: String].self,
            from: Data(contentsOf: Fixtures.folder.appending(path: "regressions/answers.json")))
        for target in Check.all {
            let folder = "regressions/\(target.name)"
            guard FileManager.default.fileExists(atPath: Fixtures.folder.appending(path: folder).path) else {
                continue
            }
            for (name, bytes) in try Fixtures.files(in: folder) {
                let outcome = target.evaluate(bytes)
                #expect(outcome.fault == nil, "\(target.name)/\(name)")
                #expect(outcome.answer == answers["\(target.name)/\(name)"], "\(target.name)/\(name)")
            }
        }
    }
}
