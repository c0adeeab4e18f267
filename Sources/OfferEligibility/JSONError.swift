/// A saved answer, a catalogue or renewal information that can't be read: where, and what stands there.
public struct JSONError: Error, Hashable, Sendable {
    /// The entry, for example `subscriptionGroups[0].subscriptions[2].productID`; empty for the whole file.
    public let path: String
    /// The place in the input where reading stopped, in bytes.
    public let offset: Int
    public let problem: Problem

    public enum Problem: Hashable, Sendable {
        /// The bytes are no JSON.
        case malformed
        /// Nested deeper than 64 levels.
        case tooDeep
        /// A name or a text of more bytes than it may have.
        case tooLong(limit: Int)
        /// An object, or those around it, with more members than are kept in mind.
        case tooManyMembers
        /// An object names one member twice.
        case duplicateMember
        /// A value of another kind than the entry calls for.
        case unexpected
        /// The entry must be there and is not.
        case missing(String)
        /// JSON, but neither of the forms that are read here.
        case unknownForm
        /// A date that does not read.
        case unreadableDate
        /// A product that an earlier entry named already.
        case duplicateProduct(String)
        /// A group that an earlier entry named already.
        case duplicateGroup(String)
        /// A catalogue without a single product.
        case noProducts
        /// A verifyReceipt answer whose status says that the receipt was not accepted.
        case refusedAnswer(status: String)
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        let place = path.isEmpty ? "at byte \(offset)" : "\(path) (byte \(offset))"
        return switch problem {
        case .malformed: "\(place): not JSON"
        case .tooDeep: "\(place): nested too deep"
        case .tooLong(let limit): "\(place): a name or a text of more than \(limit) bytes"
        case .tooManyMembers: "\(place): more members than can be told apart"
        case .duplicateMember: "\(place): named twice in one object"
        case .unexpected: "\(place): a value of another kind was expected"
        case .missing(let name): "\(place): \(name) is missing"
        case .unknownForm: "\(place): none of the forms that can be read"
        case .unreadableDate: "\(place): not a date"
        case .duplicateProduct(let product): "\(place): the product \(product) is named twice"
        case .duplicateGroup(let group): "\(place): the group \(group) is named twice"
        case .noProducts: "no group lists a subscription"
        case .refusedAnswer(let status): "\(place): the answer's status is \(status), which proves nothing"
        }
    }
}
