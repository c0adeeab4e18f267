/// The types of documented members.
enum MemberType: Sendable {
    case text, integer, flag, object, texts
    /// An integer from 0 to 2³² - 1.
    case count
    /// Milliseconds since 1970. In StoreKit Test, they may have a fraction or be negative.
    case date
}
