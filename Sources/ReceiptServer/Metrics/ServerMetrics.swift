#if Server
    import AppReceipt
    import CoreMetrics
    import ReceiptServices
    import Synchronization
    import SystemLibrary

    /// The server's own metrics.
    final class ServerMetrics: Sendable {
        private let factory = PrometheusMetrics()
        /// The timers by ``place(_:)`` of their route, the last for requests without a route.
        private let times: [CoreMetrics.Timer]
        private let requests = Mutex<[Int: Counter]>([:])
        private let refusals: [ReceiptError.Code: Counter]
        private let appleStatuses: [Route: [VerifyReceiptAnswer.Status: Counter]]
        private let (reloads, failedReloads): (Counter, Counter)
        private let (found, searched): (PrometheusCounter, PrometheusCounter)
        private let (connections, working, memory): (Meter, Meter, Meter)
        private let oldestList: Mutex<Meter?>

        private static let help = [
            "appreceipt_http_requests_total": "Requests by route and status, 499 without a whole answer.",
            "appreceipt_http_request_duration_seconds": "From a request's head to the end of its answer.",
            "appreceipt_refusals_total": "Receipts and JWS refused, by code.",
            "appreceipt_verify_receipt_answers_total":
                "Answers of verifyReceipt, by route and Apple's status.",
            "appreceipt_reloads_total": "SIGHUPs, by whether all files could be read again.",
            "appreceipt_chain_cache_hits_total": "Certificate chains found in the cache.",
            "appreceipt_chain_cache_misses_total": "Certificate chains not found in the cache.",
            "appreceipt_oldest_crl_timestamp_seconds":
                "When the oldest revocation list was issued, in seconds since 1970.",
            "appreceipt_build_info": "The version of the server.",
            "appreceipt_connections": "Connections that are open.",
            "appreceipt_connections_working": "Connections with a request that is not answered yet.",
            "process_resident_memory_bytes": "Resident memory.",
            "process_start_time_seconds": "When the server was started, in seconds since 1970.",
        ]

        init() {
            let factory = factory
            times = (Route.allCases.sorted { Self.place($0) < Self.place($1) } + [nil]).map { route in
                CoreMetrics.Timer(
                    label: "appreceipt_http_request_duration_seconds",
                    dimensions: [("route", Self.name(route))],
                    factory: factory)
            }
            refusals = Dictionary(
                uniqueKeysWithValues: ReceiptError.Code.allCases.map { code in
                    let labels = [("code", code.rawValue)]
                    return (
                        code,
                        Counter(label: "appreceipt_refusals_total", dimensions: labels, factory: factory)
                    )
                })
            let endpoints = [Route.verifyReceipt, .sandboxVerifyReceipt].map { route in
                let counters = VerifyReceiptAnswer.Status.allCases.map { status in
                    let labels = [("route", route.rawValue), ("apple_status", "\(status.rawValue)")]
                    let name = "appreceipt_verify_receipt_answers_total"
                    return (status, Counter(label: name, dimensions: labels, factory: factory))
                }
                return (route, Dictionary(uniqueKeysWithValues: counters))
            }
            appleStatuses = Dictionary(uniqueKeysWithValues: endpoints)
            func reloads(_ outcome: String) -> Counter {
                Counter(
                    label: "appreceipt_reloads_total", dimensions: [("outcome", outcome)], factory: factory)
            }
            (self.reloads, failedReloads) = (reloads("done"), reloads("failed"))
            found = factory.counter("appreceipt_chain_cache_hits_total")
            searched = factory.counter("appreceipt_chain_cache_misses_total")
            func gauge(_ name: String, _ labels: [(String, String)] = []) -> Meter {
                Meter(label: name, dimensions: labels, factory: factory)
            }
            gauge("appreceipt_build_info", [("version", ReceiptVerifier.packageVersion)]).set(1)
            gauge("process_start_time_seconds").set(
                Double(ServerClock().now.millisecondsSince1970) / 1000)
            connections = gauge("appreceipt_connections")
            working = gauge("appreceipt_connections_working")
            memory = gauge("process_resident_memory_bytes")
            oldestList = Mutex(nil)
        }

        /// Returns the index of a route among all routes. The last index is for requests without a route.
        private static func place(_ route: Route?) -> Int {
            switch route {
            case .verifyReceipt: 0
            case .sandboxVerifyReceipt: 1
            case .verify: 2
            case .eligibility: 3
            case .batch: 4
            case .live: 5
            case .ready: 6
            case .metrics: 7
            case .openAPI: 8
            case .page: 9
            case .pageScript: 10
            case .pageStyle: 11
            case nil: 12
            }
        }

        private static func name(_ route: Route?) -> String { route?.rawValue ?? "other" }

        /// Counts a request.
        private func count(_ route: Route?, _ status: Int) {
            let key = Self.place(route) << 16 | status
            let counter = requests.withLock { requests in
                if let counter = requests[key] { return counter }
                let counter = Counter(
                    label: "appreceipt_http_requests_total",
                    dimensions: [("route", Self.name(route)), ("status", "\(status)")], factory: factory)
                requests[key] = counter
                return counter
            }
            counter.increment()
        }

        /// Counts a request and records its duration.
        func record(_ route: Route?, _ status: Int, nanoseconds: Int64) {
            count(route, status)
            times[Self.place(route)].recordNanoseconds(nanoseconds)
        }

        /// Counts a refusal.
        func count(_ refusal: ReceiptError.Code?) {
            if let refusal { refusals[refusal]?.increment() }
        }

        /// Counts an answer of verifyReceipt.
        func count(_ verdict: AppleVerdict, _ route: Route) {
            appleStatuses[route]?[verdict.status]?.increment()
            count(verdict.refusal)
        }

        /// Counts a SIGHUP.
        func countReload(isDone: Bool) { (isDone ? reloads : failedReloads).increment() }

        /// Returns all metrics in Prometheus' text format, with current gauges.
        func text(_ state: ServerState) -> String {
            let served = state.served
            if let date = served.oldestList {
                let (factory, name) = (factory, "appreceipt_oldest_crl_timestamp_seconds")
                let gauge = oldestList.withLock { gauge in
                    let made = gauge ?? Meter(label: name, dimensions: [], factory: factory)
                    gauge = made
                    return made
                }
                gauge.set(Double(date.millisecondsSince1970) / 1000)
            }
            let lookups = served.chainLookups
            found.advance(to: lookups.found)
            searched.advance(to: lookups.searched)
            connections.set(state.admission.connectionCount)
            working.set(state.admission.workingCount)
            if let bytes = Self.residentBytes { memory.set(bytes) }
            return factory.text(help: Self.help)
        }

        /// The resident memory on Linux (proc(5), statm), nil on other systems.
        private static var residentBytes: Int? {
            guard let file = unsafe fopen("/proc/self/statm", "r") else { return nil }
            defer { unsafe fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard unsafe fgets(&line, 256, file) != nil else { return nil }
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
#endif
