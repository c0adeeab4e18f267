import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptJSON
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private let sideFileLimit = 64 << 20

func readCatalog(_ path: String) throws -> SubscriptionCatalog {
    try parseCatalog(try readSideFile(path), of: path)
}

func parseCatalog(_ bytes: [UInt8], of path: String) throws -> SubscriptionCatalog {
    do throws(JSONError) {
        return try SubscriptionCatalog(parsing: bytes)
    } catch {
        throw Failure("\(path): not a catalogue: \(error)")
    }
}

func readRenewals(_ path: String) throws -> RenewalInformation {
    let bytes = try readSideFile(path)
    do throws(JSONError) {
        return try RenewalInformation(parsing: bytes)
    } catch {
        throw Failure("\(path): not renewal information: \(error)")
    }
}

func readSideFile(_ path: String) throws -> [UInt8] {
    do throws(Refusal) {
        return try InputFile(path: path).read(limit: sideFileLimit)
    } catch {
        throw Failure("\(path): \(error.message)")
    }
}

/// An instant as it is typed: RFC 3339, or a day, of which midnight is meant, and said.
func instant(_ argument: String) throws -> Timestamp {
    if let date = Timestamp(rfc3339: argument) { return date }
    guard let midnight = Timestamp(rfc3339: "\(argument)T00:00:00Z") else {
        throw ValidationError("'\(argument)' is no date like 2026-06-02T00:00:00Z.")
    }
    StandardError.writeLine("\(argument) is taken for midnight UTC, \(midnight.rfc3339)")
    return midnight
}

extension Timestamp {
    /// The machine's clock.
    static var now: Timestamp {
        Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
