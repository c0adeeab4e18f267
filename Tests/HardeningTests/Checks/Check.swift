/// Something that must hold of any bytes at all: the body of a fuzz target, and of its share in the tests.
struct Check: Sendable {
    let name: String
    let form: Form
    /// How long mutants get in a search: what an ordinary input of this kind takes, and a little.
    let longest: Int
    /// Where a search starts.
    let seeds: @Sendable () throws -> [[UInt8]]
    let judge: @Sendable ([UInt8]) -> Outcome

    /// What inputs are, which says how they are changed.
    enum Form: Sendable {
        case bytes
        /// BER.
        case elements
        /// A byte that says how the BER behind it is signed.
        case option
    }

    struct Outcome {
        /// What is wrong with the answer; nil where nothing is.
        var fault: String?
        private let describe: () -> String

        /// What the package says of the input: kept beside every input that ever failed. Written only for those
        /// who read it, which takes longer than most checks.
        var answer: String { describe() }

        init(answer: @escaping @autoclosure () -> String, fault: String? = nil) {
            (self.describe, self.fault) = (answer, fault)
        }
    }

    static let all: [Check] = [
        .asn1, .payload, .encodings, .verifier, .opinion, .signed, .chain, .order, .catalog, .renewals,
        .answers, .jws, .jwsPayload, .transactionReceipt, .mixedHistory,
    ]

    /// Those that change the process, beside which no other may run.
    static let alone: [Check] = [.host]

    static func named(_ name: String) -> Check? { (all + alone).first { $0.name == name } }
}

extension Check {
    /// The input with a few changes. Where the first byte is an option, it stays in front of the elements.
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
