/// An optional date that takes no more memory than a date: eight bytes.
package struct PayloadDate: Sendable {
    private let milliseconds: Int64

    package static let absent = PayloadDate(milliseconds: .min)

    private init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init(_ timestamp: Timestamp) { milliseconds = timestamp.millisecondsSince1970 }

    package var value: Timestamp? {
        milliseconds == .min ? nil : Timestamp(millisecondsSince1970: milliseconds)
    }
}
