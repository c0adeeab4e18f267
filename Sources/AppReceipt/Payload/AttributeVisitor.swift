/// A visitor of the rows of a record.
///
/// Every output of a record visits its rows, so a new attribute is added in one place. Rows are inlined into
/// their visitor, so passing a name costs no more than a literal.
package protocol AttributeVisitor: ~Copyable {
    /// - Parameter bytes: The buffer of text and bytes.
    mutating func visit(_ type: Int64, _ name: StaticString, _ value: AttributeRow.Value, of bytes: [UInt8])
}
