import AppReceipt
package import ReceiptExamination

extension Examiner {
    /// Reads a file and examines every signed object in it.
    package func examine<Failure: Error>(
        signedObjectsIn file: InputFile, _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
        let input: [UInt8]
        do throws(ReceiptError) {
            input = try file.read(limit: verifier.limits.textBytes)
        } catch {
            return try body(Examination(.failure(error)))
        }
        try examine(signedObjects: input, body)
    }
}
