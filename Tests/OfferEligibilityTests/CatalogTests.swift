import AppReceipt
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import OfferEligibility

struct CatalogTests {
    static let key = "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg"

    static let storeKit = """
        {"identifier": "E8", "products": [{"productID": "coins", "type": "Consumable"}],
         "subscriptionGroups": [
          {"subscriptions": [
            {"productID": "yearly", "groupNumber": 1, "introductoryOffer": {"paymentMode": "free"}, "adHocOffers": []},
            {"productID": "monthly", "groupNumber": 2, "introductoryOffer": null,
             "adHocOffers": [{"offerID": "P"}], "winbackOffers": []},
            {"productID": "weekly", "introductoryOffers": [{"paymentMode": "free"}], "winbackOffers": [
              {"offerID": "BACK", "customerEligibilityPaidSubscriptionDurationInMonths": 6,
               "customerEligibilityTimeSinceLastSubscribedInMonths": {"minimum": 2, "maximum": 24},
               "customerEligibilityWaitBetweenOffersInMonths": 3},
              {"offerId": "API", "startDate": "2026-02-01", "endDate": null}]},
            {"productID": "daily", "introductoryOffer": null, "introductoryOffers": [], "winbackOffers": null}],
           "name": "Main", "id": "21000001"},
          {"id": "empty", "subscriptions": []}],
         "subscriptionOffersKeyPair": {"id": "K", "privateKey": "\(key)"},
         "version": {"major": 4, "minor": 0}}
        """

    @Test func storeKitConfiguration() throws {
        let catalog = try SubscriptionCatalog(storeKitConfiguration: Self.storeKit.utf8)
        #expect(catalog.groups == ["21000001", "empty"])
        #expect(catalog.products.map(\.id) == ["yearly", "monthly", "weekly", "daily"])
        #expect(catalog.products.map(\.rank) == [1, 2, nil, nil])
        #expect(catalog.products.map(\.hasIntroductoryOffer) == [true, false, true, false])
        #expect(catalog.products.map(\.hasPromotionalOffer) == [false, true, false, false])
        #expect(catalog.products.map { $0.winBackOffers?.count } == [nil, 0, 2, nil])
        #expect(catalog.products.allSatisfy { $0.group == "21000001" })

        let offer = try #require(catalog.product("weekly")?.winBackOffers?.first)
        #expect(offer.offerID == "BACK")
        #expect(offer.paidMonths == 6)
        #expect(offer.waitMonths == 3)
        #expect(offer.minimumMonthsSinceLapse == 2)
        #expect(offer.maximumMonthsSinceLapse == 24)
        #expect(offer.startDate == nil)
        // As in the App Store Connect API
        let other = try #require(catalog.product("weekly")?.winBackOffers?.last)
        #expect(other.offerID == "API")
        #expect(other.startDate?.rfc3339 == "2026-02-01T00:00:00Z")
        #expect(other.endDate == nil)
        #expect(catalog.product("coins") == nil)
    }

    @Test func privateKeyIsDropped() throws {
        let catalog = try SubscriptionCatalog(parsing: Self.storeKit.utf8)
        var dump = ""
        Swift.dump(catalog, to: &dump)
        #expect(!dump.contains("MIGT"))
        #expect(!dump.contains("privateKey"))
    }

    @Test func errorsOmitThePrivateKey() {
        let broken = Self.storeKit.replacing("\"version\"", with: "version")
        #expect {
            try SubscriptionCatalog(parsing: broken.utf8)
        } throws: { error in
            !"\(error)".contains("MIGT")
        }
    }

    @Test func plainJSONKeepsItsOrder() throws {
        let plain = #"{"groups": {"z": ["z2", "z1"], "empty": [], "a": ["a1"]}}"#
        let catalog = try SubscriptionCatalog(parsing: plain.utf8)
        #expect(catalog.groups == ["z", "empty", "a"])
        #expect(catalog.products.map(\.id) == ["z2", "z1", "a1"])
        #expect(catalog.products.allSatisfy { $0.hasIntroductoryOffer == nil && $0.rank == nil })
        #expect(catalog.products.allSatisfy { $0.winBackOffers == nil && $0.hasPromotionalOffer == nil })
    }

    @Test(arguments: [
        // input, path, fault
        ("", "", JSONFault.truncated),
        ("\u{0}", "", .unexpectedByte(0)),
        ("[]", "", .unexpectedKind(expected: .object, found: .array)),
        ("{}", "", .invalid("must have exactly one of groups, apps, subscriptionGroups")),
        (
            #"{"groups": {}, "subscriptionGroups": []}"#, "",
            .invalid("must have exactly one of groups, apps, subscriptionGroups")
        ),
        (#"{"groups": {}}"#, "", .empty),
        (#"{"groups": {"a": []}}"#, "", .empty),
        (#"{"subscriptionGroups": []}"#, "", .empty),
        (#"{"groups": ["a"]}"#, "groups", .unexpectedKind(expected: .object, found: .array)),
        (#"{"groups": {"a": "b"}}"#, "groups.a", .unexpectedKind(expected: .array, found: .string)),
        (#"{"groups": {"a": ["b", 1]}}"#, "groups.a[1]", .unexpectedKind(expected: .string, found: .number)),
        (#"{"groups": {"a": ["b", ""]}}"#, "groups.a[1]", .unexpectedValue("")),
        (#"{"groups": {"a": ["p", "p"]}}"#, "groups.a[1]", .duplicate("p")),
        (#"{"groups": {"a": ["p"], "b": ["q", "p"]}}"#, "groups.b[1]", .duplicate("p")),
        (#"{"groups": {"a": ["p"], "a": ["q"]}}"#, "groups.a", .duplicateMember),
        (#"{"groups": {"a": ["p"]}} x"#, "", .trailingBytes),
        (#"{"groups": {"a": ["p",]}}"#, "groups.a[1]", .unexpectedByte(UInt8(ascii: "]"))),
        (#"{"subscriptionGroups": [{"subscriptions": []}]}"#, "subscriptionGroups[0]", .missing("id")),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{"winbackOffers": [{"endDate": "1.2.2026"}]}]}]}"#,
            "subscriptionGroups[0].subscriptions[0].winbackOffers[0].endDate",
            .invalid("expected a date, for example 2026-02-01")
        ),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{}]}]}"#,
            "subscriptionGroups[0].subscriptions[0]", .missing("productID")
        ),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": []}, {"id": "g"}]}"#,
            "subscriptionGroups[1]", .duplicate("g")
        ),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "p"}, {"productID": "p"}]}]}"#,
            "subscriptionGroups[0].subscriptions[1]", .duplicate("p")
        ),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "p", "introductoryOffer": []}]}]}"#,
            "subscriptionGroups[0].subscriptions[0].introductoryOffer",
            .unexpectedKind(expected: .object, found: .array)
        ),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "p", "groupNumber": 1.5}]}]}"#,
            "subscriptionGroups[0].subscriptions[0].groupNumber", .notAnInteger
        ),
    ])
    func badInput(text: String, path: String, fault: JSONFault) {
        do {
            _ = try SubscriptionCatalog(parsing: text.utf8)
            Issue.record("accepted")
        } catch {
            #expect(error.path == path)
            #expect(error.fault == fault)
        }
    }

    @Test func aStoreKitConfigurationIsNotPlainJSON() {
        #expect(throws: JSONError.self) {
            try SubscriptionCatalog(storeKitConfiguration: #"{"groups": {"a": ["b"]}}"#.utf8)
        }
    }

    // Identifiers that differ in one byte, in length, in the eight bytes that are hashed at once, or in
    // Unicode form.
    @Test func productsAreComparedByBytes() {
        var table = IdentifierTable()
        let ids =
            (0..<2000).map { "com.example.product\($0)" }
            + ["", "a", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "\u{e9}", "e\u{301}"]
        for id in ids {
            let isNew = table.append(id)
            #expect(isNew)
        }
        for (index, id) in ids.enumerated() { #expect(table.index(of: id) == index) }
        for id in ["b", "ABCDEFG", "com.example.product", "com.example.product2000", "\u{0}"] {
            #expect(table.index(of: id) == nil)
        }
        let isNew = table.append("a")
        #expect(!isNew)
    }

    /// Checks that identifiers that a hash without a secret maps to one slot cost no more than others. A
    /// request may contain a catalog.
    @Test func chosenIdentifiersDoNotCollide() {
        // The first eight bytes give a hash state that equals the last eight bytes, which turn it into zero.
        var random = SystemRandomNumberGenerator()
        var colliding: [String] = []
        while colliding.count < 2_000 {
            let first = random.next() & 0x7F7F_7F7F_7F7F_7F7F
            let (high, low) = (16 ^ first).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            guard (high ^ low) & 0x8080_8080_8080_8080 == 0 else { continue }
            let bytes = [first, high ^ low].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
            colliding.append(String(decoding: bytes, as: UTF8.self))
        }
        let others = (0..<2_000).map { "com.example.\(1_000 + $0)" }
        #expect(time(ofAppending: colliding) < 10 * time(ofAppending: others))
    }

    /// Returns the processor time of this thread in nanoseconds, the minimum of three runs.
    private func time(ofAppending identifiers: [String]) -> UInt64 {
        Cost.time {
            var table = IdentifierTable()
            for identifier in identifiers { _ = table.append(identifier) }
        }
    }
}
