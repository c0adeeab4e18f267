import AppReceipt
import ReceiptExamination
import StrictJSON
import Synchronization

/// The maker with the lists of the last bundle, because the bundles of an audit have the same ones.
final class LastMaker: Sendable {
    private let last = Mutex<(RequestedLists, EvidenceMaker)?>(nil)

    /// Returns the maker for the lists, or makes one.
    func maker(
        for lists: RequestedLists, _ make: () throws(EvidenceCheck.Fault) -> EvidenceMaker
    ) throws(EvidenceCheck.Fault) -> EvidenceMaker {
        try last.withLock { last throws(EvidenceCheck.Fault) in
            if let (known, maker) = last, known == lists { return maker }
            let maker = try make()
            last = (lists, maker)
            return maker
        }
    }
}

extension EvidenceCheck {
    /// Returns a maker with the revocation lists of the request: the checker's, or else those that came with the
    /// bundle. Each is identified by its digest.
    /// - Parameter carried: The files that may be lists.
    /// - Throws: ``Fault`` if the bundle cannot be checked with the lists that it was made with.
    func maker(
        for request: EvidenceRequest, _ carried: [EvidenceFile]
    ) throws(Fault) -> EvidenceMaker {
        let own = RequestedLists(maker.lists.facts)
        if own == request.lists { return maker }
        guard let wanted = request.lists else {
            throw Fault(
                EvidenceRequest.file, "made without --crl, --distrust and --revocation; check it without")
        }
        guard own == nil else {
            throw Fault(
                EvidenceRequest.file,
                "made with other revocation lists, another distrust list or another policy than given")
        }
        return try lastMaker.maker(for: wanted) { () throws(Fault) in try makeMaker(with: wanted, carried) }
    }

    private func makeMaker(
        with wanted: RequestedLists, _ carried: [EvidenceFile]
    ) throws(Fault) -> EvidenceMaker {
        var known: [String: EvidenceFile] = [:]
        var size = 0
        for file in carried {
            size += file.bytes.count
            guard size <= RevocationList.maximumBytes + DistrustList.maximumBytes else {
                throw Fault(file.path, "the revocation lists are too large")
            }
            if let digest = verifier.sha256(of: file.bytes) { known[hexadecimal(digest)] = file }
        }
        for (digest, option) in wanted.lists.map({ ($0, "--crl") })
            + (wanted.distrust.map { [($0, "--distrust")] } ?? [])
        where known[digest] == nil {
            throw Fault(
                EvidenceRequest.file,
                "made with a list of SHA-256 \(digest) that is not in the bundle; add \(option) FILE --revocation \(wanted.policy.rawValue)"
            )
        }
        do {
            let lists = try wanted.lists.compactMap { known[$0] }.map {
                try RevocationList(parsing: $0.bytes, name: $0.path)
            }
            let inputs = try RevocationInputs(
                lists: lists, distrust: wanted.distrust.flatMap { known[$0]?.bytes }, policy: wanted.policy)
            return try maker.using(EvidenceLists(inputs, verifier))
        } catch let error as ReceiptError {
            throw Fault("", "not a revocation list: \(error.message)")
        } catch {
            throw Fault(EvidenceLists.distrust, "\(error)")
        }
    }

    /// Returns the statements about lists that only the author vouches for, because the checker gave none.
    func unprovenLists(_ request: EvidenceRequest) -> [String] {
        guard let lists = request.lists, maker.lists.facts.policy == .off else { return [] }
        return (lists.lists.isEmpty ? [] : ["choice of revocation lists"])
            + (lists.distrust == nil ? [] : ["distrust list"])
    }
}
