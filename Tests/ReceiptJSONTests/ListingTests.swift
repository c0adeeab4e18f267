import AppReceipt
import OfferEligibility
import ReceiptForge
import StrictJSON
import Testing

@testable import ReceiptExamination
@testable import ReceiptJSON
@testable import ReceiptServices

/// The detection of App Store Server API responses that list all purchases of a customer.
struct ListingTests {
    private let authority: Authority
    private let examiner: Examiner

    init() throws {
        authority = try .appStoreJWS()
        examiner = Examiner(
            try ReceiptVerifier(anchors: .custom(authority.root.certificate.der)),
            policy: .any)
    }

    /// Returns a response in which placeholders are replaced by signed objects.
    ///
    /// - `$1` and `$2`: a subscription's first and second transaction
    /// - `$R`: its renewal information
    /// - `$O`: the renewal information of another subscription
    /// - `$A`: an app transaction
    /// - `$N`: a notification
    /// - `$X`: a transaction that the verifier refuses
    private func text(_ answer: String) throws -> [UInt8] {
        var first = JSONMembers.transaction
        first["transactionId"] = #""2000000000000001""#
        let second = try JWSRecipe(.transaction, authority: authority).forge()
        var other = JSONMembers.renewalInfo
        other["originalTransactionId"] = #""2000000000000077""#
        let texts = [
            ("$1", try JWSRecipe(first, authority: authority).forge()), ("$2", second),
            ("$R", try JWSRecipe(.renewalInfo, authority: authority).forge()),
            ("$O", try JWSRecipe(other, authority: authority).forge()),
            ("$A", try JWSRecipe(.appTransaction, authority: authority).forge()),
            ("$N", try JWSRecipe(.notification(), authority: authority).forge()),
            ("$X", String(second.dropLast(8)) + "AAAAAAAA"),
        ]
        return Array(texts.reduce(answer) { $0.replacing($1.0, with: "\"\($1.1)\"") }.utf8)
    }

    private func evidence(_ answer: String) throws -> CustomerEvidence {
        var evidence = CustomerEvidence()
        _ = evidence.take(try text(answer), of: "answer", examiner)
        return evidence
    }

    private static let app = #""bundleId":"com.example.app","environment":"Sandbox""#

    // Responses, each with the coverage of purchases.
    @Test(
        arguments: [
            (#"{"signedTransactions":[$1,$2],"hasMore":false,"revision":"r",\#(app)}"#, .complete),
            (#"{\#(app),"hasMore":false,"signedTransactions":[$2,$1]}"#, .complete),
            // A page with successors, and responses that do not say whether there are any.
            (#"{"signedTransactions":[$1,$2],"hasMore":true,\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,$2],\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,$2],"hasMore":null,\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,$2],"hasMore":"false",\#(app)}"#, .single),
            // A last page or a filtered response: the subscription's first transaction is missing.
            (#"{"signedTransactions":[$2],"hasMore":false,\#(app)}"#, .single),
            // A refund history, the transactions of an order, and a single transaction.
            (#"{"signedTransactions":[$1,$2],"hasMore":false,"revision":"r"}"#, .single),
            (#"{"signedTransactions":[$1,$2],"status":0}"#, .single),
            (#"{"signedTransactionInfo":$1}"#, .single),
            (#"{"signedTransactions":[$1,$2],"hasMore":false,"bundleId":"com.example.app"}"#, .single),
            (#"{"signedTransactions":[$1,$2],"hasMore":false,"environment":"Sandbox"}"#, .single),
            // A response that names another app or environment than its objects.
            (
                #"{"signedTransactions":[$1,$2],"hasMore":false,"bundleId":"com.example.other","environment":"Sandbox"}"#,
                .single
            ),
            (
                #"{"signedTransactions":[$1,$2],"hasMore":false,"bundleId":"com.example.app","environment":"Production"}"#,
                .single
            ),
            (
                #"{"signedTransactions":[$1,$2],"hasMore":false,"bundleId":"com.example.app","environment":"elsewhere"}"#,
                .single
            ),
            // A response at any depth in the saved JSON.
            (
                #"{"of":"anna","answers":[{"body":{"signedTransactions":[$1],"hasMore":false,\#(app)}}]}"#,
                .complete
            ),
            // The members belong to another object.
            (#"{"answer":{"signedTransactions":[$1]},"hasMore":false,\#(app)}"#, .single),
            // A refused object, or an object that does not belong in a history, is a gap.
            (#"{"signedTransactions":[$1,$X],"hasMore":false,\#(app)}"#, .single),
            (#"{"signedTransactions":[$X,$1],"hasMore":false,\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,null],"hasMore":false,\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,$R],"hasMore":false,\#(app)}"#, .single),
            (#"{"signedTransactions":[$1,$N],"hasMore":false,\#(app)}"#, .single),
            // Subscription statuses: the last transaction of each subscription.
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2,"signedRenewalInfo":$R}]}],\#(app)}"#,
                .complete
            ),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$X,"signedRenewalInfo":$R}]}],\#(app)}"#,
                .nothing
            ),
            // Renewal information of a subscription whose transaction is not in the response.
            (#"{"data":[{"lastTransactions":[{"signedRenewalInfo":$R}]}],\#(app)}"#, .nothing),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2,"signedRenewalInfo":$O}]}],\#(app)}"#,
                .single
            ),
            (
                #"{"data":[{"lastTransactions":[{"signedRenewalInfo":$R,"signedTransactionInfo":$2}]}],\#(app)}"#,
                .complete
            ),
            // A group without its subscriptions, and a subscription without its transaction, beside a complete one and alone.
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2}]},{"subscriptionGroupIdentifier":"1"}],\#(app)}"#,
                .single
            ),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2},{"status":1}]}],\#(app)}"#,
                .single
            ),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2}]},{"lastTransactions":[null]}],\#(app)}"#,
                .single
            ),
            (
                #"{"saved":{"data":[{"lastTransactions":[{"status":1}]}],\#(app)},"signedAppTransactionInfo":$A}"#,
                .nothing
            ),
            (#"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2}]}]}"#, .single),
            (#"{"data":[{"transactions":[{"signedTransactionInfo":$2}]}],\#(app)}"#, .single),
            (#"{"data":{"lastTransactions":[{"signedTransactionInfo":$2}]},\#(app)}"#, .single),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2}]}],"bundleId":"com.example.app","environment":"Production"}"#,
                .single
            ),
            // Objects outside the member that lists them.
            (#"{"data":[],"signedTransactionInfo":$2,\#(app)}"#, .single),
            (#"{"data":[{"lastTransactions":[]}],"signedTransactionInfo":$2,\#(app)}"#, .single),
            (#"{"signedTransactions":[],"hasMore":false,"signedTransactionInfo":$1,\#(app)}"#, .single),
            // Two responses in one record, one of them complete.
            (
                #"{"a":{"signedTransactions":[$2]},"b":{"signedTransactions":[$1],"hasMore":false,\#(app)}}"#,
                .complete
            ),
            (
                #"{"a":{"signedTransactions":[$2],"hasMore":true,\#(app)},"b":{"signedTransactions":[$1],"hasMore":false,\#(app)}}"#,
                .single
            ),
            // An incomplete page counts, whatever app it names.
            (
                #"{"a":{"signedTransactions":[$2],"hasMore":true,"bundleId":"com.example.other","environment":"Sandbox"},"b":{"signedTransactions":[$1],"hasMore":false,\#(app)}}"#,
                .single
            ),
        ] as [(String, PurchaseCoverage)])
    func coverage(answer: String, coverage: PurchaseCoverage) throws {
        #expect(try evidence(answer).history().coverage == coverage)
    }

    // A response without objects, the other evidence, and the coverage of both.
    @Test(
        arguments: [
            (
                #"{"hasMore":false,"signedTransactions":[],"revision":"","appAppleId":7,\#(app)}"#, "$A",
                .complete
            ),
            (#"{"data":[],\#(app)}"#, "$A", .complete),
            (
                #"{"data":[{"subscriptionGroupIdentifier":"1","lastTransactions":[]}],\#(app)}"#, "$A",
                .complete
            ),
            (#"{"saved":[{"body":{"data":[],\#(app)}}]}"#, "$A", .complete),
            (#"{"data":[],\#(app)}"#, "$N", .complete),
            // A page with successors, and responses about another app or environment.
            (#"{"hasMore":true,"signedTransactions":[],\#(app)}"#, "$A", .nothing),
            (#"{"data":[],"bundleId":"com.example.other","environment":"Sandbox"}"#, "$A", .nothing),
            (#"{"data":[],"bundleId":"com.example.app","environment":"Production"}"#, "$A", .nothing),
            // A subscription that is not in the response.
            (#"{"hasMore":false,"signedTransactions":[],\#(app)}"#, "$1", .single),
            (#"{"data":[],\#(app)}"#, "$R", .nothing),
        ] as [(String, String, PurchaseCoverage)])
    func answersWithoutObjects(answer: String, other: String, coverage: PurchaseCoverage) throws {
        let inputs = [answer, #"{"signedPayload":\#(other)}"#]
        for inputs in [inputs, inputs.reversed()] {
            var evidence = CustomerEvidence()
            for (index, input) in inputs.enumerated() {
                #expect(evidence.take(try text(input), of: "\(index)", examiner).isEmpty)
            }
            #expect(try evidence.history().coverage == coverage)
            #expect(evidence.sources == [inputs[0] == answer ? "1" : "0"])
            #expect(!evidence.anyRefused)
        }
    }

    /// Checks that other JSON with a member of this name is not a response.
    @Test(arguments: [
        #"{"lastTransactions":[{"status":1}]}"#, #"{"a":[{"lastTransactions":["1"]}]}"#,
        #"{"data":[{"lastTransactions":["200000"]}]}"#,
    ])
    func otherTransactionsAreNotAResponse(json: String) {
        #expect(throws: ReceiptError.self) { try APIAnswer(parsing: Array(json.utf8)) }
    }

    /// Checks that a response without objects is not evidence by itself, and that no interface verifies it.
    @Test func responseWithoutObjectsIsNotEvidence() throws {
        let answer = Array(#"{"data":[],\#(Self.app)}"#.utf8)
        var evidence = CustomerEvidence()
        #expect(evidence.take(answer, of: "answer", examiner).isEmpty)
        #expect(evidence.isEmpty)
        #expect(evidence.unsupported.count == 1)
        var messages: [String?] = []
        examiner.examine(signedObjects: answer) { (examination) throws(Never) in
            if case .failure(let refusal) = examination.result { messages.append(refusal.message) }
        }
        #expect(messages == ["lists no signed objects"])
        var json = JSONWriter()
        let line = Array(#"{"id":"1","subject":"anna","data":[],\#(Self.app)}"#.utf8)
        RecordExaminer(examiner, question: nil, writesSnapshots: true).answer(
            line: line, number: 1, to: &json)
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"id":"1","subject":"anna","sha256":null,"status":"absent"}"# + "\nnull\n")
    }

    /// Checks that the option for renewal information accepts complete subscription statuses.
    @Test func statusesAsRenewalInformation() throws {
        let statuses =
            #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2,"signedRenewalInfo":$R}]}],\#(Self.app)}"#
        var renewals = CustomerEvidence()
        _ = renewals.takeRenewals(try text(statuses), of: "statuses", examiner)
        var own = try evidence(#"{"signedTransactionInfo":$1}"#)
        var joined = own
        joined.add(renewals)
        #expect(try joined.history().coverage == .complete)
        // Statuses of several customers do not count as a response about this one.
        #expect(try own.addOwn(of: renewals))
        #expect(try own.history().coverage == .single)
    }

    /// Checks that a response with objects of two apps is not a complete list.
    @Test func responseOfTwoAppsIsIncomplete() throws {
        var other = JSONMembers.transaction
        other["bundleId"] = #""com.example.other""#
        let text = try JWSRecipe(other, authority: authority).forge()
        var listings: [APIAnswer.Listing?] = []
        examiner.examine(
            signedObjects: try self.text(
                #"{"signedTransactions":[$1,"\#(text)"],"hasMore":false,\#(Self.app)}"#)
        ) { (examination) throws(Never) in listings.append(examination.listing) }
        #expect(listings == [nil, nil])
    }

    /// Checks that the audit stores no listing for a response with missing transactions.
    @Test func renewalsWithoutTransactionsListNothing() throws {
        var listings: [APIAnswer.Listing?] = []
        let answer =
            #"{"data":[{"lastTransactions":[{"signedTransactionInfo":$2,"signedRenewalInfo":$O}]}],\#(Self.app)}"#
        examiner.examine(signedObjects: try text(answer)) { (examination) throws(Never) in
            listings.append(examination.listing)
        }
        #expect(listings == [nil, nil])
    }

    /// Checks that the snapshot names the listing at the last object of a complete response, and at each
    /// object of a page.
    @Test(arguments: [
        ("false", [false, true], "history"), ("true", [true, true], "history-page"),
    ])
    func snapshotNamesTheListing(hasMore: String, kept: [Bool], listing: String) throws {
        let line = try text(
            #"{"id":"1","subject":"anna","signedTransactions":[$1,$2],"hasMore":\#(hasMore),\#(Self.app)}"#)
        var json = JSONWriter()
        RecordExaminer(examiner, question: nil, writesSnapshots: true).answer(
            line: line, number: 1, to: &json)
        let lines = String(decoding: json.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 4)
        let told = [lines[1], lines[3]].map { $0.contains(#""listing":"\#(listing)""#) }
        #expect(told == kept)
    }
}
