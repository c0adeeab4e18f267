import Foundation

/// The processor time of work, and text that costs more than other text of its size.
package enum Cost {
    /// Returns combining marks in changing order. Swift sorts them to compare, hash or split text, which takes
    /// quadratic time.
    package static func marks(_ bytes: Int) -> String {
        var text = String.UnicodeScalarView()
        for index in 0..<bytes / 2 { Unicode.Scalar(0x301 + UInt32(7 * index % 22)).map { text.append($0) } }
        return String(text)
    }

    package static func letters(_ bytes: Int) -> String { String(repeating: "é", count: bytes / 2) }

    /// Returns the processor time of this thread in nanoseconds. Other tests run at the same time.
    private static func processorTime() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the processor time of work in nanoseconds, the minimum of three runs.
    package static func time(_ work: () throws -> Void) rethrows -> UInt64 {
        try (0..<3).map { _ in
            let start = processorTime()
            try work()
            return processorTime() - start
        }.min() ?? .max
    }
}
