package import ReceiptExamination

/// The names of the fields or columns of an export. The name of a nested member is a path with periods, for
/// example `response.latest_receipt`. Names that are not given are determined from the export.
package struct ColumnNames: Hashable, Sendable {
    /// The field with the ID, or nil for `id`. A record without an ID is named by its number.
    package var id: String?
    /// The field with the receipt. If nil, it is `receipt` if there is one. Otherwise, it is the first field
    /// that holds receipts in most of the records in which it has a value, among the first 1,000. In a pipe,
    /// the first record in which exactly one field holds a receipt determines it.
    package var receipt: String?
    /// The field with the subject. If nil, it is the first with a name such as `subject`, `user_id` or
    /// `appAccountToken`, in the order of ``SubjectNames``.
    package var subject: String?

    package init(id: String? = nil, receipt: String? = nil, subject: String? = nil) {
        (self.id, self.receipt, self.subject) = (id, receipt, subject)
    }

    package static let (id, receipt, subject) = (FieldNames.id, FieldNames.receipt, FieldNames.subject)
}

extension FieldNames {
    /// Creates the names of an export's fields.
    /// - Parameters:
    ///   - receipt: The field in which receipts were found, used if the settings name none.
    ///   - subject: The field in which the subject was found, used if the settings name none.
    ///   - isNoticing: Whether to notice receipts in other fields.
    package convenience init(
        _ names: ColumnNames, receipt: String? = nil, subject: String? = nil, kept: KeptFields = KeptFields(),
        isNoticing: Bool = false
    ) {
        self.init(
            id: names.id, receipt: names.receipt, subject: names.subject, found: receipt,
            foundSubject: subject, kept: kept, isNoticing: isNoticing)
    }
}
