import AppReceipt
import Foundation
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// The expected answers in `Fixtures/answers`. Tests/Peers compares the same files with another
/// implementation.
@Suite("verifyReceipt fixtures")
struct VerifyReceiptFixtureTests {
    /// Folders of receipts signed by Apple, verified under Apple's roots, and of forged ones under the test
    /// authority's root.
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
            environment, for: .any, password: .ignored,
            verifier: receipt.hasPrefix("genuine") ? apple : test)
    }

    /// Checks a line for each decodable receipt and environment. With `ANSWER_FIXTURES=1` in the environment,
    /// the test rewrites the file first. Review the difference before you commit it.
    @Test func everyReceiptHasTheCommittedAnswer() throws {
        var lines: [String] = []
        for folder in Self.folders {
            let path = AnswerFixtures.folder.appending(path: folder).path
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
                let receipt = "\(folder)/\(name)"
                // verifyReceipt's requests contain base64 without white space. Other tests cover undecodable
                // files.
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
        #expect(lines.count == expected.count)
        #expect(lines.count > 90)
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
    }

    /// Returns the line for the only receipt with signed renewal information, with the subscriptions as of
    /// the receipt.
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

    /// An original answer of Apple's, in the reference data next to the package.
    static let appleAnswer = AnswerFixtures.folder.appending(
        path: "../../shared/corpus/genuine/revenuecat-verifyReceipt-answer.txt")

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: appleAnswer.path), "Apple's own answer is not here"))
    func answerEqualsApples() throws {
        let apples = try String(contentsOf: Self.appleAnswer, encoding: .utf8)
        let object = try AnswerFixtures.object(Array(apples.utf8))
        let receipt = "genuine/receipts/revenuecat-sample1-sandbox-2020.b64"
        var endpoint = try endpoint(.sandbox, for: receipt)
        endpoint.latestReceiptInfo = .asOfReceipt
        // request_date_ms of Apple's answer.
        let answer = endpoint.answer(
            to: AnswerFixtures.request(try AnswerFixtures.receiptData(receipt)),
            at: Timestamp(millisecondsSince1970: 1_595_440_486_402))
        // Equal character by character up to latest_receipt_info, which only Apple can write: members, order,
        // types, dates.
        let ours = String(decoding: answer.body, as: UTF8.self)
        let mark = #","latest_receipt_info":"#
        let compact = apples.split(separator: "\n").map { line in
            line.drop { $0 == " " }.replacing("\": ", with: "\":", maxReplacements: 1)
        }.joined()
        let head = try #require(ours.components(separatedBy: mark).first)
        #expect(compact.components(separatedBy: mark).first == head)
        #expect(head.count > 7000)

        // The list has the same transactions, because no purchase followed the receipt. Receipts contain no
        // group. Apple listed the oldest first then.
        let latest = try #require(object["latest_receipt_info"] as? [[String: String]]).map {
            $0.filter { $0.key != "subscription_group_identifier" }
        }
        let told = try AnswerFixtures.object(answer.body)["latest_receipt_info"] as? [[String: String]]
        #expect(told == latest.reversed())
    }
}
