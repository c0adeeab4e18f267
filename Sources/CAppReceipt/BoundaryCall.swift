import AppReceipt
import CAppReceiptBoundary
import SystemLibrary

/// The result of a call.
struct BoundaryAnswer {
    let code: appreceipt_code
    /// A JSON object, or nil if the code is the whole result.
    let body: [UInt8]?

    init(_ code: appreceipt_code, _ body: [UInt8]? = nil) { (self.code, self.body) = (code, body) }
}

/// Runs `work`, which needs the Swift runtime or OpenSSL. No thread may hold their locks while the process
/// forks.
func behindBoundary<Value>(_ work: () -> Value) -> Value {
    let isEntered = appreceipt_boundary_enter()
    defer { if isEntered { appreceipt_boundary_leave() } }
    return work()
}

/// Passes the result of `work` to the caller.
func answering(
    _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?,
    _ work: () throws(BoundaryFailure) -> BoundaryAnswer
) -> CInt {
    unsafe text?.pointee = nil
    unsafe length?.pointee = 0
    guard let text = unsafe text, let length = unsafe length else {
        return CInt(APPRECEIPT_BAD_REQUEST.rawValue)
    }
    return behindBoundary {
        let answer: BoundaryAnswer
        do throws(BoundaryFailure) {
            answer = try work()
        } catch {
            answer = error.answer
        }
        guard let body = answer.body else { return CInt(answer.code.rawValue) }
        guard let copy = unsafe malloc(body.count + 1)?.assumingMemoryBound(to: CChar.self) else {
            return CInt(APPRECEIPT_UNAVAILABLE.rawValue)
        }
        unsafe body.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: copy, count: $0.count).copyMemory(from: $0)
        }
        unsafe copy[body.count] = 0
        unsafe text.pointee = copy
        unsafe length.pointee = body.count
        return CInt(answer.code.rawValue)
    }
}

/// Returns a copy of the caller's bytes, which the caller may change at any time. Input beyond the limit is
/// not read.
/// - Returns: nil for more than `limit` bytes.
func bytes(
    _ start: UnsafeRawPointer?, _ length: Int, atMost limit: Int
) throws(BoundaryFailure) -> [UInt8]? {
    // A size above `Int.max` is negative here.
    guard length >= 0 else { throw .badRequest("length: out of range") }
    guard let start = unsafe start else {
        guard length == 0 else { throw .badRequest("data: must not be NULL with a length of \(length)") }
        return []
    }
    // Requires memory for the copy, its decoded form, the parsed objects and the answer. The check takes
    // longer than verifying a receipt if the allocator has to call the kernel, so inputs of ordinary size
    // skip it.
    let isOrdinary = length <= 64 << 10
    guard isOrdinary || appreceipt_boundary_has_memory(16 * min(length, limit)) else { throw .unavailable }
    guard length <= limit else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
}

func verifier(_ handle: OpaquePointer?) throws(BoundaryFailure) -> Verifier {
    guard let handle = unsafe handle else { throw .badRequest("handle: must not be NULL") }
    return unsafe Unmanaged<Verifier>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// The version as C text, which is never freed.
nonisolated(unsafe) let versionText = unsafe UnsafePointer<CChar>(strdup(ReceiptVerifier.packageVersion))
