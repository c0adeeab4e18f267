/// An error for damage in a source. It is reported as a record, and the source ends there. System errors, in
/// contrast, end the run, which can be resumed.
package struct SourceDamage: Error {
    package let description: String
}
