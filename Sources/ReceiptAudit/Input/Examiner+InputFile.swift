import AppReceipt
package import ReceiptJSON

extension Examiner {
    package func examine(_ file: InputFile) -> Examination {
        do throws(Refusal) {
            return examine(try file.read(limit: verifier.limits.textBytes))
        } catch {
            return Examination(.failure(error))
        }
    }

    /// Reads a file and examines every signed object in it.
    package func examine<Failure: Error>(
        signedObjectsIn file: InputFile, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        let input: [UInt8]
        do throws(Refusal) {
            input = try file.read(limit: verifier.limits.textBytes)
        } catch {
            return try body(SignedExamination(.failure(error)))
        }
        try examine(signedObjects: input, body)
    }
}
