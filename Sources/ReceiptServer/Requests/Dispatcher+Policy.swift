#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import ReceiptExamination

    extension Dispatcher {
        /// The parameters of a verification policy in a query.
        private static let policyParameters: Set = ["bundle_id", "app_apple_id", "environment", "device_id"]

        /// Refuses a verifyReceipt query that asks for another verification policy than that of the server's settings.
        /// Ignores other parameters, which clients may add to bypass caches.
        func refusePolicyInQuery() throws(Failure) {
            for pair in try Query.pairs(request.head.path) {
                let name = Query.name(pair.prefix { $0 != UInt8(ascii: "=") })
                guard let name, Self.policyParameters.contains(name) else { continue }
                throw .badRequest("\(name): not allowed here; use /v1/verify or the server's options")
            }
        }

        /// Returns the verification policy of the settings, restricted by the request's query.
        func policy() throws(Failure) -> VerificationPolicy {
            let query = try Query(request.head.path, allowing: Self.policyParameters)
            let environments = try environments(query["environment"])
            let device = try device(query["device_id"])
            let policy = try policy(query, environments)
            return device.map { policy.expecting(deviceID: $0) } ?? policy
        }

        /// Returns the accepted apps and environments of the settings, restricted by a request's query.
        private func policy(
            _ query: Query, _ environments: VerificationPolicy.Environments
        ) throws(Failure) -> VerificationPolicy {
            let served = state.settings.policy(environments)
            let ids = try appAppleIDs(query["app_apple_id"])
            let apps = query["bundle_id"]
            guard
                let asked = VerificationPolicy(
                    bundleIDs: apps.isEmpty ? [VerificationPolicy.anyWord] : apps, environments)
            else {
                throw .badRequest("bundle_id: 'any' cannot be combined with other bundle IDs")
            }
            guard let bundleIDs = asked.bundleIDs else {
                return ids.map { served.expecting(appAppleIDs: $0) } ?? served
            }
            for bundleID in bundleIDs where !served.accepts(bundleID: bundleID) {
                throw .badRequest("bundle_id: '\(bundleID)' is not served here")
            }
            if let ids { return asked.expecting(appAppleIDs: ids) }
            // The server does not know which of its numbers belong to these apps.
            return state.settings.appAppleIDs.map { asked.expecting(someOf: $0) } ?? asked
        }

        /// Returns the values of `app_apple_id`, or nil if the request has none. Refuses values that the settings do not
        /// accept.
        private func appAppleIDs(_ texts: [String]) throws(Failure) -> [Int64]? {
            if texts.isEmpty { return nil }
            var ids: [Int64] = []
            for text in texts {
                guard let id = Int64(text), id > 0 else {
                    throw .badRequest(
                        "app_apple_id: '\(text)' is not a whole number from 1 to 9223372036854775807")
                }
                guard state.settings.appAppleIDs?.contains(id) != false else {
                    throw .badRequest("app_apple_id: '\(text)' is not served here")
                }
                ids.append(id)
            }
            return ids
        }

        private func device(_ texts: [String]) throws(Failure) -> [UInt8]? {
            guard let text = texts.first else { return nil }
            guard texts.count == 1 else { throw .badRequest("device_id: given twice") }
            do throws(DeviceIdentifier.Fault) {
                return try DeviceIdentifier(text).bytes
            } catch {
                throw .badRequest("device_id: \(error.message)")
            }
        }

        private func environments(_ names: [String]) throws(Failure) -> VerificationPolicy.Environments {
            var expected: [ExpectedEnvironment] = []
            for name in names.isEmpty ? [ExpectedEnvironment.any.rawValue] : names {
                guard let environment = ExpectedEnvironment(rawValue: name) else {
                    let all = ExpectedEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .badRequest("environment: '\(name)' is not one of \(all)")
                }
                expected.append(environment)
            }
            guard let environments = VerificationPolicy.Environments(expected) else {
                throw .badRequest("environment: 'any' cannot be combined with other environments")
            }
            return environments
        }
    }
#endif
