import AppReceipt
import Foundation
import Testing

@testable import ReceiptExamination
@testable import ReceiptJSON

/// The names and texts of limits and of the policy on SHA-1, which all interfaces share.
struct LimitSettingTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    /// Returns the file's text without line breaks and without the quotes and comment marks around them in C
    /// and Python.
    private static func unwrapped(_ path: String) throws -> String {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            .replacing(/"\n *"/, with: "").replacing(/\n( \*)? +/, with: " ")
    }

    @Test(arguments: [
        ("CAppReceipt/appreceipt.h", true), ("Python/appreceipt/limits.py", true),
        ("ReceiptServer/ReceiptServer.docc/ServingVerifyReceipt.md", false),
    ])
    func oneText(path: String, isOfMembers: Bool) throws {
        let text = try Self.unwrapped(path)
        #expect(text.contains(SHA1Signatures.help))
        #expect(text.contains(SHA1Signatures.setting) != isOfMembers)
        for value in SHA1Signatures.allCases { #expect(SHA1Signatures.help.contains(value.rawValue)) }
        for setting in LimitSetting.all {
            #expect(text.contains(setting.help), "\(setting.name)")
            #expect(text.contains(isOfMembers ? "\"\(setting.member)\"" : "`--\(setting.name) "))
        }
    }

    /// Checks that the table contains every limit of the library, which accepts each setting's whole range.
    @Test func tableIsWhole() {
        var limits = ReceiptLimits()
        #expect(Mirror(reflecting: limits).children.count == LimitSetting.all.count)
        #expect(Set(LimitSetting.all.map(\.name)).count == LimitSetting.all.count)
        for setting in LimitSetting.all {
            #expect(setting.range.contains(limits[keyPath: setting.limit]), "\(setting.name)")
            limits[keyPath: setting.limit] = setting.range.upperBound
            #expect(limits[keyPath: setting.limit] == setting.range.upperBound)
            #expect(setting.fault(setting.range.upperBound + 1) != nil)
            #expect(setting.fault(0) != nil)
        }
        #expect(limits.named.map(\.value) == LimitSetting.all.map(\.range.upperBound))
    }
}
