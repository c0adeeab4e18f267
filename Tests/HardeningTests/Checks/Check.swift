/// A property that must hold for arbitrary bytes. Fuzz targets run it, and the tests run a part of that.
struct Check: Sendable {
    let name: String
    let form: Form
    /// The maximum length of mutants in a search: a little more than an ordinary input of this kind.
    let longest: Int
    /// The inputs at which a search starts.
    let seeds: @Sendable () throws -> [[UInt8]]
    let evaluate: @Sendable ([UInt8]) -> Outcome

    /// The structure of inputs, which determines how they are mutated.
    enum Form: Sendable {
        case bytes
        /// BER.
        case elements
        /// A byte that selects how the following BER is signed.
        case option
    }

    struct Outcome {
        /// The fault in the answer, or nil.
        var fault: String?
        private let describe: () -> String

        /// The package's answer, stored for every input that ever failed. Computed only on access, because
        /// this takes longer than most checks.
        var answer: String { describe() }

        init(answer: @escaping @autoclosure () -> String, fault: String? = nil) {
            (self.describe, self.fault) = (answer, fault)
        }
    }

    static let all: [Check] = [
        .asn1, .payload, .encodings, .verifier, .opinion, .signed, .chain, .order, .catalog, .renewals,
        .answers, .jws, .jwsPayload, .transactionReceipt, .mixedHistory,
    ]

    /// Checks that change the process, so that no other check may run at the same time.
    static let alone: [Check] = [.host]

    static func named(_ name: String) -> Check? { (all + alone).first { $0.name == name } }
}

extension Check {
    /// Returns the input with a few changes. An option in the first byte stays there.
    func mutant(of bytes: [UInt8], _ mutator: inout TLVMutator) -> [UInt8] {
        switch form {
        case .elements: return mutator.mutate(bytes)
        case .option:
            guard let option = bytes.first else { return [0] }
            let random: UInt64 = mutator.random.next()
            let next = random % 8 == 0 ? UInt8(truncatingIfNeeded: random >> 8) : option
            return [next] + mutator.mutate(Array(bytes.dropFirst()))
        case .bytes:
            var bytes = bytes
            mutator.mutateBytes(&bytes, &mutator.random)
            return bytes
        }
    }
}
