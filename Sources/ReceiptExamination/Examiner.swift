public import AppReceipt

/// An examiner of inputs. It decodes receipts, verifies them and applies the verification policy. Every
/// command uses the same steps.
public struct Examiner: Sendable {
    /// The verifier of the receipts.
    public let verifier: ReceiptVerifier
    let policy: VerificationPolicy
    private(set) var isVerifying = true
    private var leavesSignatures = false
    private(set) var isLeavingAppOfRenewals = false

    /// Returns the app of an object that was refused only because the policy expects other apps: its bundle
    /// ID or its `appAppleId`. Nil for any other refusal, also for an object that names no app.
    package func otherApp(_ refusal: ReceiptError) -> String? {
        switch refusal.reason {
        case .bundleID(let expected, let found?) where expected == policy.bundleIDs: found
        case .appAppleID(let expected, let found?) where expected == policy.appAppleIDs: "\(found)"
        default: nil
        }
    }

    package var isForApps: Bool { policy.isForApps }

    /// An examiner that does not check the app of renewal information, which names none. The caller
    /// determines the app.
    public var leavingAppOfRenewals: Examiner { with(\.isLeavingAppOfRenewals, true) }

    /// An examiner that decodes PKCS #7 receipts and computes the digests that identify them, but does not
    /// verify them. Their results are refusals. Other signed objects are verified as usual.
    package var withoutVerification: Examiner { with(\.isVerifying, false) }

    /// An examiner that leaves digests and signature checks to ``checkTogether(_:)``, for receipts with no
    /// wrapping except base64. Nil if that saves no time.
    package var leavingSignatures: Examiner? {
        isVerifying && verifier.checksSignaturesTogether ? with(\.leavesSignatures, true) : nil
    }

    /// An examiner that checks each signature immediately.
    var checkingSignatures: Examiner { with(\.leavesSignatures, false) }

    private func with(_ setting: WritableKeyPath<Examiner, Bool>, _ value: Bool) -> Examiner {
        var examiner = self
        examiner[keyPath: setting] = value
        return examiner
    }

    /// Computes the digests and checks the signatures that ``leavingSignatures`` has left, several at once.
    /// ``Examination/finish()`` then verifies each receipt. Until then, it is refused as unreadable.
    package static func checkTogether(_ receipts: [PendingReceipt]) {
        PendingReceipt.computeDigests(of: receipts)
        PendingReceipt.proveSignatures(of: receipts)
    }

    /// Creates an examiner with a verifier and a verification policy.
    public init(_ verifier: ReceiptVerifier, policy: VerificationPolicy) {
        self.verifier = verifier
        self.policy = policy
    }

    /// Decodes and verifies a receipt.
    /// - Parameter input: A receipt in any `InputEncoding`.
    public func examine(_ input: [UInt8]) -> Examination { examine(input.span) }

    /// Decodes and verifies a receipt.
    /// - Parameter input: A receipt in any `InputEncoding`.
    public func examine(_ input: Span<UInt8>) -> Examination {
        let (der, encoding): ([UInt8], InputEncoding)
        do throws(ReceiptError) {
            (der, encoding) = try InputEncoding.decode(input, limits: verifier.limits)
        } catch {
            return Examination(.failure(error))
        }
        // The input has the length of padded base64, and ends with padding if padding is needed. It therefore
        // contains no white space.
        let isPlain =
            encoding == .base64 && input.count == (der.count + 2) / 3 * 4
            && (der.count.isMultiple(of: 3) || input[input.count - 1] == UInt8(ascii: "="))
        return examine(container: der, received: isPlain ? .base64 : .nothing)
    }

    package func examine(container der: [UInt8], received: ReceivedBytes = .nothing) -> Examination {
        if leavesSignatures {
            let pending = PendingReceipt(der, by: verifier, for: policy)
            return Examination(
                receipt: .failure(pending.refusal ?? .cryptographyUnavailable), nil, received: received,
                pending: pending)
        }
        guard let sha256 = verifier.sha256(of: der) else {
            return Examination(.failure(.cryptographyUnavailable))
        }
        do throws(ReceiptError) {
            guard isVerifying else { throw ReceiptError(.unreadable, message: "not verified") }
            let receipt = try verifier.verify(container: der, for: policy)
            return Examination(
                receipt: .success(.receipt(receipt)), sha256, try receipt.contentDigest, received: received)
        } catch {
            return Examination(receipt: .failure(error), sha256, received: received)
        }
    }
}
