import AppReceipt
package import ReceiptJSON

extension Examiner {
    /// Reads and examines a file.
    package func examine(_ file: InputFile) -> Examination {
        do throws(Refusal) {
            return examine(try file.read(limit: verifier.limits.textBytes))
        } catch {
            return Examination(.failure(error))
        }
    }
}
