/// Something that must hold of any bytes at all: the body of a fuzz target, and of its share in the tests.
struct Check: Sendable {
    let name: String
    let form: Form
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

    struct Outcome: Hashable {
        /// What the package says of the input: kept beside every input that ever failed.
        var answer: String
        /// What is wrong with that; nil where nothing is.
        var fault: String?
    }

    static let all: [Check] = [
        .asn1, .payload, .encodings, .verifier, .opinion, .signed, .chain, .catalog, .renewals, .answers,
    ]

    static func named(_ name: String) -> Check? { all.first { $0.name == name } }
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
