import Foundation
import StrictJSON
import TestSupport
import Testing

/// The time to skip untrusted JSON is proportional to its size.
struct JSONCostTests {
    /// Returns the processor time of this thread, in nanoseconds, to skip `bytes`: the minimum of three runs.
    private func time(_ bytes: [UInt8]) throws -> UInt64 {
        try Cost.time {
            var reader = JSONReader(bytes.span)
            try reader.skip()
            try reader.end()
        }
    }

    private static func object(_ count: Int, _ name: (Int) -> String) -> [UInt8] {
        Array("{\((0..<count).map { "\"\(name($0))\":0" }.joined(separator: ","))}".utf8)
    }

    /// Checks that 16 times the bytes take less than 50 times as long, which allows for cache misses. A
    /// quadratic reader takes 256 times as long. Measures again if another process slowed the large text.
    @Test(
        arguments: [
            // names of equal length
            { object($0) { "\(1_000_000 + $0)" } },
            // names with a common prefix
            { object($0 / 8) { String(repeating: "n", count: 60) + "\($0)" } },
            // names of combining marks, which Swift compares in canonical order
            { object($0 / 8) { String(repeating: "\u{301}\u{323}", count: 12) + "\($0)" } },
            // names with escapes
            { object($0 / 2) { #"\u0061\#($0)"# } },
            // many small objects
            { Array("[\(Array(repeating: #"{"a":0,"b":1}"#, count: $0).joined(separator: ","))]".utf8) },
            // small objects inside a large one, whose names stay in memory while the small objects come and
            // go
            { Array("{\((0..<$0).map { "\"\($0)\":{\"a\":{}}" }.joined(separator: ","))}".utf8) },
            // one string of escapes
            { Array(("\"" + String(repeating: #"\ud83d\ude00"#, count: $0) + "\"").utf8) },
            // arrays at the maximum depth, repeated
            {
                let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
                return Array("[\(Array(repeating: deep, count: $0 / 40).joined(separator: ","))]".utf8)
            },
        ] as [@Sendable (Int) -> [UInt8]])
    func timeIsLinear(make: @Sendable (Int) -> [UInt8]) throws {
        let (small, large) = (make(4_000), make(64_000))
        let isLinear = try (0..<5).contains { _ in try time(large) < 50 * max(try time(small), 100_000) }
        #expect(isLinear)
    }

    /// Checks that a duplicate name is found at any position, and that another object may reuse the names.
    @Test(arguments: [2, 8, 9, 10, 31, 32, 33, 1_000, 100_000])
    func duplicatesAreFoundAmongMany(count: Int) {
        let members = (0..<count).map { "\"m\($0)\":{\"m0\":\($0)}" }
        let whole = members.joined(separator: ",")
        for index in Set([0, 1, count / 2, count - 1]) {
            let bytes = Array("{\(whole),\"m\(index)\":1}".utf8)
            var reader = JSONReader(bytes.span)
            let error = failure { () throws(JSONError) in try reader.skip() }
            #expect(error == JSONError(.duplicateMember, at: whole.utf8.count + 2, path: "m\(index)"))
        }
        let bytes = Array("[{\(whole)},{\(whole)}]".utf8)
        var reader = JSONReader(bytes.span)
        #expect(failure { () throws(JSONError) in try reader.skip() } == nil)
    }

    /// Checks that skipping a million open brackets does not overflow the stack, whatever the depth limit.
    @Test func skippingDoesNotRecurse() {
        let depth = 1_000_000
        let bytes = Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        var reader = JSONReader(bytes.span, maximumDepth: depth)
        #expect(failure { () throws(JSONError) in try reader.skip() } == nil)
    }

    /// Checks that the caller's limit applies to the names of all open objects together. An object's names
    /// are released at its end.
    @Test func membersAreLimited() {
        let bytes = Array(#"{"a":{"b":0,"c":0},"d":{"e":0},"f":{"g":0}}"#.utf8)
        var reader = JSONReader(bytes.span, maximumMembers: 4)
        #expect(failure { () throws(JSONError) in try reader.skip() } == nil)
        reader = JSONReader(bytes.span, maximumMembers: 3)
        #expect(
            failure { () throws(JSONError) in try reader.skip() }
                == JSONError(.tooManyMembers(limit: 3), at: 36, path: "f.g"))
        reader = JSONReader(bytes.span, maximumMembers: 2)
        #expect(
            failure { () throws(JSONError) in try reader.skip() }
                == JSONError(.tooManyMembers(limit: 2), at: 12, path: "a.c"))
    }

    @Test func textsAreReadAsBytes() {
        let bytes = Array(#"["\u00e9\/", "abc"]"#.utf8)
        var reader = JSONReader(bytes.span)
        var texts: [[UInt8]] = []
        let error = failure { () throws(JSONError) in
            try reader.array { (reader, _) throws(JSONError) in texts.append(try reader.text(atMost: 3)) }
        }
        #expect(error == nil)
        #expect(texts == [Array("é/".utf8), Array("abc".utf8)])
        reader = JSONReader(bytes.span)
        #expect(
            failure { () throws(JSONError) in
                try reader.array { (reader, _) throws(JSONError) in _ = try reader.text(atMost: 2) }
            } == JSONError(.tooLong(limit: 2), at: 1, path: "[0]"))
    }
}
