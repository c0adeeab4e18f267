import AppReceipt
import Foundation
import ReceiptJSON
import Testing

/// `Fixtures/answers`: what the committed receipts and requests are answered. Tests/Peers holds the same files against
/// another implementation.
@Suite("verifyReceipt fixtures")
struct VerifyReceiptFixtureTests {
    /// Apple's own receipts under Apple's roots, forged ones under the test authority's.
    private static let folders = ["genuine/receipts", "receipts"]

    private let apple: ReceiptVerifier
    private let test: ReceiptVerifier

    init() throws {
        apple = try ReceiptVerifier()
        test = try ReceiptVerifier(anchors: .custom(AnswerFixtures.bytes("roots/root.cer")))
    }

    private func endpoint(
        _ environment: VerifyReceiptEndpoint.Environment, for receipt: String
    ) throws -> VerifyReceiptEndpoint {
        try VerifyReceiptEndpoint(
            environment, apps: .anyApp, password: .ignored,
            verifier: receipt.hasPrefix("genuine") ? apple : test)
    }

    /// A line for each receipt that decodes and each environment. With `ANSWER_FIXTURES=1` in the environment the file is
    /// written anew first: compare before you commit it.
    @Test func everyReceiptIsAnsweredAsCommitted() throws {
        var lines: [String] = []
        for folder in Self.folders {
            let path = AnswerFixtures.folder.appending(path: folder).path
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
                let receipt = "\(folder)/\(name)"
                // verifyReceipt's request is base64 without white space: what decodes to nothing is asked elsewhere.
                guard let data = try? AnswerFixtures.receiptData(receipt) else { continue }
                for environment in VerifyReceiptEndpoint.Environment.allCases {
                    let answer = try endpoint(environment, for: receipt).answer(
                        to: AnswerFixtures.request(data), at: AnswerFixtures.requestDate)
                    let head = #"{"receipt":"\#(receipt)","environment":"\#(environment.rawValue)","answer":"#
                    lines.append(head + String(decoding: answer.body, as: UTF8.self) + "}")
                    #expect((answer.status == .valid) == (answer.refusal == nil))
                }
            }
        }
        lines.append(try withRenewals())
        let file = AnswerFixtures.folder.appending(path: "answers/answers.ndjson")
        if ProcessInfo.processInfo.environment["ANSWER_FIXTURES"] != nil {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.count == expected.count && lines.count > 90)
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
    }

    /// The line of the one receipt that has signed renewal information beside it, with the subscriptions as of the receipt.
    private func withRenewals() throws -> String {
        let (receipt, renewal) = (
            "eligibility/receipts/half-a-year-then-left.der", "eligibility/evidence/left.renewal.jws"
        )
        var endpoint = try endpoint(.production, for: receipt)
        endpoint.latestReceiptInfo = .asOfReceipt
        let jws = String(decoding: try AnswerFixtures.bytes(renewal), as: UTF8.self)
        let answer = endpoint.answer(
            to: AnswerFixtures.request(
                try AnswerFixtures.receiptData(receipt),
                #","signed-renewal-info":["\#(jws.trimmingCharacters(in: .newlines))"]"#),
            at: AnswerFixtures.requestDate)
        return
            #"{"receipt":"\#(receipt)","environment":"Production","signed_renewal_info":["\#(renewal)"],"answer":"#
            + String(decoding: answer.body, as: UTF8.self) + "}"
    }

    /// A row of `requests.json`.
    struct Asked: Decodable, Sendable, CustomTestStringConvertible {
        let why: String
        let request: String
        let status: Int
        var testDescription: String { why }
    }

    @Test(
        arguments: try JSONDecoder().decode(
            [Asked].self, from: Data(AnswerFixtures.bytes("answers/requests.json"))))
    func everyRequestHasItsStatus(asked: Asked) throws {
        let receipt = "genuine/receipts/tikhop-ios-sandbox-g5-2025.b64"
        let data = try AnswerFixtures.receiptData(receipt)
        let der = try #require(Data(base64Encoded: data))
        var tampered = der
        tampered[der.endIndex - 1] ^= 1
        var request = asked.request
        for (name, text) in [
            "$RECEIPT": data, "$ESCAPED": data.replacing("/", with: "\\/"),
            "$UNPADDED": data.replacing("=", with: ""),
            "$URLSAFE": data.replacing("+", with: "-").replacing("/", with: "_"),
            "$TRUNCATED": der.dropLast().base64EncodedString(),
            "$TRAILING": (der + [0, 0]).base64EncodedString(), "$TAMPERED": tampered.base64EncodedString(),
        ] {
            request = request.replacing(name, with: text)
        }
        let answer = try endpoint(.sandbox, for: receipt).answer(
            to: Array(request.utf8), at: AnswerFixtures.requestDate)
        #expect(answer.status.rawValue == asked.status, "\(String(describing: answer.refusal))")
        if asked.status != 0 {
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"status":\#(asked.status)}"#)
            #expect(answer.refusal?.message.isEmpty == false)
        }
    }

    /// An answer that Apple gave, beside the package where the reference data are.
    static let appleAnswer = AnswerFixtures.folder.appending(
        path: "../../shared/corpus/genuine/revenuecat-verifyReceipt-answer.txt")

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: appleAnswer.path), "Apple's own answer is not here"))
    func appleAnsweredTheSame() throws {
        let apples = try String(contentsOf: Self.appleAnswer, encoding: .utf8)
        let object = try AnswerFixtures.object(Array(apples.utf8))
        let receipt = "genuine/receipts/revenuecat-sample1-sandbox-2020.b64"
        var endpoint = try endpoint(.sandbox, for: receipt)
        endpoint.latestReceiptInfo = .asOfReceipt
        // request_date_ms of Apple's answer.
        let answer = endpoint.answer(
            to: AnswerFixtures.request(try AnswerFixtures.receiptData(receipt)),
            at: Timestamp(millisecondsSince1970: 1_595_440_486_402))
        // Up to the list that only Apple can write, letter for letter: members, order, types, dates.
        let ours = String(decoding: answer.body, as: UTF8.self)
        let mark = #","latest_receipt_info":"#
        let compact = apples.split(separator: "\n").map { line in
            line.drop { $0 == " " }.replacing("\": ", with: "\":", maxReplacements: 1)
        }.joined()
        let head = try #require(ours.components(separatedBy: mark).first)
        #expect(compact.components(separatedBy: mark).first == head && head.count > 7000)

        // Nothing was bought since the receipt was made: the same transactions, but for the group, which no receipt names.
        // Apple had the oldest first then.
        let latest = try #require(object["latest_receipt_info"] as? [[String: String]]).map {
            $0.filter { $0.key != "subscription_group_identifier" }
        }
        let told = try AnswerFixtures.object(answer.body)["latest_receipt_info"] as? [[String: String]]
        #expect(told == latest.reversed())
    }
}
