#if Server
    import AppReceipt
    import ReceiptServices
    import Synchronization
    import SystemLibrary

    /// The server's own metrics.
    final class ServerMetrics: Sendable {
        private let metrics = PrometheusMetrics()
        private let times: [Route?: PrometheusHistogram]
        private let requests = Mutex<[Request: PrometheusCounter]>([:])
        private let refusals: [ReceiptError.Code: PrometheusCounter]
        private let appleStatuses: [Route: [VerifyReceiptAnswer.Status: PrometheusCounter]]
        private let (reloads, failedReloads): (PrometheusCounter, PrometheusCounter)
        private let (found, searched): (PrometheusCounter, PrometheusCounter)
        private let (connections, working, memory): (PrometheusGauge, PrometheusGauge, PrometheusGauge)
        private let lists = Mutex<(oldest: PrometheusGauge, unusable: PrometheusGauge)?>(nil)

        /// The requests that one counter counts.
        private struct Request: Hashable {
            let route: Route?
            let status: Int
        }

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
            "appreceipt_unusable_crls":
                "Revocation lists that their issuer did not sign, or that give no information.",
            "appreceipt_build_info": "The version of the server.",
            "appreceipt_connections": "Connections that are open.",
            "appreceipt_connections_working": "Connections with a request that is not answered yet.",
            "process_resident_memory_bytes": "Resident memory.",
            "process_start_time_seconds": "When the server was started, in seconds since 1970.",
        ]

        init() {
            let metrics = metrics
            func counter(
                _ name: String, _ labels: KeyValuePairs<String, String> = [:]
            ) -> PrometheusCounter { metrics.add(PrometheusCounter(), name, labels) }
            func gauge(
                _ name: String, _ labels: KeyValuePairs<String, String> = [:]
            ) -> PrometheusGauge { metrics.add(PrometheusGauge(), name, labels) }

            let routes: [Route?] = Route.allCases + [nil]
            times = Dictionary(
                uniqueKeysWithValues: routes.map { route in
                    let name = "appreceipt_http_request_duration_seconds"
                    return (route, metrics.add(PrometheusHistogram(), name, ["route": Self.name(route)]))
                })
            refusals = Dictionary(
                uniqueKeysWithValues: ReceiptError.Code.allCases.map { code in
                    (code, counter("appreceipt_refusals_total", ["code": code.rawValue]))
                })
            let endpoints = [Route.verifyReceipt, .sandboxVerifyReceipt].map { route in
                let counters = VerifyReceiptAnswer.Status.allCases.map { status in
                    let name = "appreceipt_verify_receipt_answers_total"
                    return (
                        status,
                        counter(name, ["route": route.rawValue, "apple_status": "\(status.rawValue)"])
                    )
                }
                return (route, Dictionary(uniqueKeysWithValues: counters))
            }
            appleStatuses = Dictionary(uniqueKeysWithValues: endpoints)
            reloads = counter("appreceipt_reloads_total", ["outcome": "done"])
            failedReloads = counter("appreceipt_reloads_total", ["outcome": "failed"])
            found = counter("appreceipt_chain_cache_hits_total")
            searched = counter("appreceipt_chain_cache_misses_total")
            gauge("appreceipt_build_info", ["version": ReceiptVerifier.packageVersion]).set(1)
            gauge("process_start_time_seconds").set(
                Double(ServerClock().now.millisecondsSince1970) / 1000)
            connections = gauge("appreceipt_connections")
            working = gauge("appreceipt_connections_working")
            memory = gauge("process_resident_memory_bytes")
        }

        private static func name(_ route: Route?) -> String { route?.rawValue ?? "other" }

        /// Counts a request.
        private func count(_ route: Route?, _ status: Int) {
            requests.withLock { requests in
                let request = Request(route: route, status: status)
                if let counter = requests[request] { return counter.increment() }
                let counter = metrics.add(
                    PrometheusCounter(), "appreceipt_http_requests_total",
                    ["route": Self.name(route), "status": "\(status)"])
                requests[request] = counter
                counter.increment()
            }
        }

        /// Counts a request and records its duration.
        func record(_ route: Route?, _ status: Int, nanoseconds: Int64) {
            count(route, status)
            times[route]?.record(nanoseconds: nanoseconds)
        }

        /// Counts a refusal.
        func count(_ refusal: ReceiptError.Code?) {
            if let refusal { refusals[refusal]?.increment() }
        }

        /// Counts an answer of verifyReceipt. A receipt of the other environment does not count as refused: clients send it there next.
        func count(_ verdict: AppleVerdict, _ route: Route) {
            appleStatuses[route]?[verdict.status]?.increment()
            if ![.sandboxReceipt, .productionReceipt].contains(verdict.status) { count(verdict.refusal) }
        }

        /// Counts a SIGHUP.
        func countReload(isDone: Bool) { (isDone ? reloads : failedReloads).increment() }

        /// Returns all metrics in Prometheus' text format, with current gauges.
        func text(_ state: ServerState) -> String {
            let served = state.served
            if let date = served.oldestList {
                let gauges = lists.withLock { gauges in
                    let made =
                        gauges
                        ?? (
                            metrics.add(PrometheusGauge(), "appreceipt_oldest_crl_timestamp_seconds"),
                            metrics.add(PrometheusGauge(), "appreceipt_unusable_crls")
                        )
                    gauges = made
                    return made
                }
                gauges.oldest.set(Double(date.millisecondsSince1970) / 1000)
                gauges.unusable.set(
                    Double(served.verifier.revocationListFaults.count { $0?.isOfList == true }))
            }
            let lookups = served.chainLookups
            found.advance(to: lookups.found)
            searched.advance(to: lookups.searched)
            connections.set(Double(state.connections.count))
            working.set(Double(state.admission.workingCount))
            if let bytes = Self.residentBytes { memory.set(Double(bytes)) }
            return metrics.text(help: Self.help)
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
