#if Server
    import AppReceipt
    import Synchronization
    import SystemLibrary

    /// The machine's clock, and its time in the format of HTTP.
    final class ServerClock: Sendable {
        private let written = Mutex((second: Int64.min, text: ""))

        /// The current time.
        var now: Timestamp {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(
                millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        }

        /// The current time as an IMF-fixdate (RFC 9110, 5.6.7), formatted once a second.
        var date: String {
            let second = now.secondsSince1970
            return written.withLock { written in
                if written.second != second { written = (second, Self.text(second)) }
                return written.text
            }
        }

        static func text(_ second: Int64) -> String {
            let days = Int(second / 86_400)
            let (year, month, day) = civilDate(daysSince1970: days)
            let rest = Int(second % 86_400)
            // 1970-01-01 was a Thursday.
            let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(weekday), \(two(day)) \(months[month - 1]) \(year) "
                + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
        }
    }
#endif
