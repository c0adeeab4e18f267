#if Server
    import AppReceipt
    import CoreMetrics
    import ReceiptJSON
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// What the server counts of itself.
    final class ServerMetrics: Sendable {
        private let factory = PrometheusMetrics()
        /// By route, the last being that of no route.
        private let times: [CoreMetrics.Timer]
        private let requests = Mutex<[RequestKey: Counter]>([:])
        private let refusals: [ReceiptError.Code: Counter]
        private let (found, searched): (Meter, Meter)
        private let (connections, working, memory): (Meter, Meter, Meter)

        private struct RequestKey: Hashable {
            let route: Route?
            let status: Int
        }

        private static let help = [
            "appreceipt_http_requests_total": "Requests answered, by route and status.",
            "appreceipt_http_request_duration_seconds": "From a request's head to the end of its answer.",
            "appreceipt_refusals_total": "Receipts and JWS refused, by code.",
            "appreceipt_chain_cache_hits": "Chains of certificates that were known, since the start.",
            "appreceipt_chain_cache_misses":
                "Chains of certificates that were searched for, since the start.",
            "appreceipt_connections": "Connections that are open.",
            "appreceipt_connections_working": "Connections with a request that is not answered yet.",
            "process_resident_memory_bytes": "Resident memory.",
        ]

        init() {
            let factory = factory
            times = (Route.allCases + [nil]).map { route in
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
            func gauge(_ name: String) -> Meter { Meter(label: name, factory: factory) }
            (found, searched) = (gauge("appreceipt_chain_cache_hits"), gauge("appreceipt_chain_cache_misses"))
            connections = gauge("appreceipt_connections")
            working = gauge("appreceipt_connections_working")
            memory = gauge("process_resident_memory_bytes")
        }

        private static func name(_ route: Route?) -> String { route?.rawValue ?? "other" }

        /// Counts an answer.
        func count(_ route: Route?, _ status: Int) {
            let key = RequestKey(route: route, status: status)
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

        /// Counts an answer, and how long it took.
        func record(_ route: Route?, _ status: Int, nanoseconds: Int64) {
            count(route, status)
            times[route?.index ?? times.count - 1].recordNanoseconds(nanoseconds)
        }

        /// Counts a refusal.
        func count(_ refusal: ReceiptError.Code?) {
            if let refusal { refusals[refusal]?.increment() }
        }

        /// What Prometheus reads.
        func text(_ state: ServerState) -> String {
            let lookups = state.verifier.chainLookups
            found.set(lookups.found)
            searched.set(lookups.searched)
            connections.set(state.admission.connectionCount)
            working.set(state.admission.workingCount)
            if let bytes = Self.residentBytes { memory.set(bytes) }
            return factory.text(help: Self.help)
        }

        /// As the kernel counts it: proc(5), statm. Nil elsewhere.
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
