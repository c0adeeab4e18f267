import AppReceipt
import ReceiptExamination
import StrictJSON
import Synchronization

/// The maker with the lists of the last bundle, because the bundles of an audit have the same ones.
final class LastMaker: Sendable {
    private let last = Mutex<(RequestedLists, EvidenceMaker)?>(nil)

    /// Returns the maker for the lists, or makes one.
    func maker(
        for lists: RequestedLists, _ make: () -> Result<EvidenceMaker, EvidenceCheck.ListFailure>
    ) -> Result<EvidenceMaker, EvidenceCheck.ListFailure> {
        last.withLock { last in
            if let (known, maker) = last, known == lists { return .success(maker) }
            let made = make()
            if case .success(let maker) = made { last = (lists, maker) }
            return made
        }
    }
}

extension EvidenceCheck {
    /// The reason why a bundle cannot be checked with the lists that it was made with.
    struct ListFailure: Error {
        let fault: Fault

        init(_ file: String, _ message: String) { fault = Fault(file, message) }
    }

    /// Returns a maker with the revocation lists of the request: the checker's, or else those that came with the
    /// bundle. Each is identified by its digest.
    /// - Parameter carried: The files that may be lists.
    func maker(
        for request: EvidenceRequest, _ carried: [EvidenceFile]
    ) -> Result<EvidenceMaker, ListFailure> {
        let own = RequestedLists(maker.lists.facts)
        guard let wanted = request.lists else {
            return own == nil
                ? .success(maker)
                : .failure(
                    ListFailure(
                        EvidenceRequest.file,
                        "made without --crl, --distrust and --revocation; check it without"))
        }
        guard own == nil else {
            let message =
                "made with other revocation lists, another distrust list or another policy than given"
            return own == wanted ? .success(maker) : .failure(ListFailure(EvidenceRequest.file, message))
        }
        return lastMaker.maker(for: wanted) { makeMaker(with: wanted, carried) }
    }

    private func makeMaker(
        with wanted: RequestedLists, _ carried: [EvidenceFile]
    ) -> Result<EvidenceMaker, ListFailure> {
        var known: [String: EvidenceFile] = [:]
        var size = 0
        for file in carried {
            size += file.bytes.count
            guard size <= RevocationList.maximumBytes + DistrustList.maximumBytes else {
                return .failure(ListFailure(file.path, "the revocation lists are too large"))
            }
            if let digest = verifier.sha256(of: file.bytes) { known[hexadecimal(digest)] = file }
        }
        for (digest, option) in wanted.lists.map({ ($0, "--crl") })
            + (wanted.distrust.map { [($0, "--distrust")] } ?? [])
        where known[digest] == nil {
            return .failure(
                ListFailure(
                    EvidenceRequest.file,
                    "made with a list of SHA-256 \(digest) that is not in the bundle; add \(option) FILE --revocation \(wanted.policy.rawValue)"
                ))
        }
        do {
            let lists = try wanted.lists.compactMap { known[$0] }.map {
                try RevocationList(parsing: $0.bytes, name: $0.path)
            }
            let inputs = try RevocationInputs(
                lists: lists, distrust: wanted.distrust.flatMap { known[$0]?.bytes }, policy: wanted.policy)
            return .success(try maker.using(EvidenceLists(inputs, verifier)))
        } catch let error as ReceiptError {
            return .failure(ListFailure("", "not a revocation list: \(error.message)"))
        } catch {
            return .failure(ListFailure(EvidenceLists.distrust, "\(error)"))
        }
    }

    /// Returns the statements about lists that only the author vouches for, because the checker gave none.
    func unprovenLists(_ request: EvidenceRequest) -> [String] {
        guard let lists = request.lists, maker.lists.facts.policy == .off else { return [] }
        return (lists.lists.isEmpty ? [] : ["choice of revocation lists"])
            + (lists.distrust == nil ? [] : ["distrust list"])
    }
}
