// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CAppReceiptBoundary
import ReceiptJSON
import ReceiptServices
import SystemLibrary

// The C functions. appreceipt.h and appreceipt_batch.h document them.

@c @implementation
public func appreceipt_open(
    _ settings: UnsafePointer<CChar>?, _ length: Int, _ handle: UnsafeMutablePointer<OpaquePointer?>?,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe handle?.pointee = nil
    return unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        guard let handle = unsafe handle else { throw .badRequest("handle: must not be NULL") }
        guard appreceipt_boundary_is_in_program_namespace() else {
            throw .badRequest(
                "dlmopen: not supported; load the library with dlopen")
        }
        let text = try unsafe bytes(settings, length, atMost: Settings.maximumBytes)
        guard let text else {
            throw .badRequest("settings: more than the limit of \(Settings.maximumBytes) bytes")
        }
        let verifier = try Verifier(Settings(text))
        unsafe handle.pointee = OpaquePointer(Unmanaged.passRetained(verifier).toOpaque())
        return BoundaryAnswer(APPRECEIPT_OK)
    }
}

@c @implementation
public func appreceipt_close(_ handle: OpaquePointer?) {
    behindBoundary {
        guard let handle = unsafe handle else { return }
        unsafe Unmanaged<Verifier>.fromOpaque(UnsafeRawPointer(handle)).release()
    }
}

@c @implementation
public func appreceipt_verify(
    _ handle: OpaquePointer?, _ input: UnsafeRawPointer?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        return verifier.verify(try unsafe bytes(input, length, atMost: verifier.maximumInputBytes))
    }
}

@c @implementation
public func appreceipt_verify_many(
    _ handle: OpaquePointer?, _ inputs: UnsafePointer<UnsafeRawPointer?>?, _ lengths: UnsafePointer<Int>?,
    _ count: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        // A count above `Int.max` is negative here.
        guard 0...Verifier.maximumInputs ~= count else {
            throw .badRequest("count: must be a number from 0 to \(Verifier.maximumInputs)")
        }
        guard let inputs = unsafe inputs, let lengths = unsafe lengths else {
            guard count == 0 else { throw .badRequest("inputs, lengths: must not be NULL") }
            return try verifier.verify(lengths: []) { _ in nil }
        }
        // Reads each value once, because the caller may change them.
        let starts = unsafe Array(UnsafeBufferPointer(start: inputs, count: count))
        let counts = unsafe Array(UnsafeBufferPointer(start: lengths, count: count))
        return try verifier.verify(lengths: counts) { index throws(BoundaryFailure) in
            try unsafe bytes(starts[index], counts[index], atMost: verifier.maximumInputBytes)
        }
    }
}

@c @implementation
public func appreceipt_eligibility(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.eligibility(
            unsafe bytes(request, length, atMost: EligibilityEndpoint.maximumRequestBytes))
    }
}

@c @implementation
public func appreceipt_verify_receipt_answer(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.verifyReceiptAnswer(
            to: unsafe bytes(request, length, atMost: VerifyReceiptEndpoint.maximumRequestBytes))
    }
}

@c @implementation
public func appreceipt_answer_record(
    _ handle: OpaquePointer?, _ record: UnsafePointer<CChar>?, _ length: Int, _ number: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        try requireRecordNumber(number)
        let record = try unsafe bytes(record, length, atMost: verifier.maximumRecordBytes)
        return try verifier.answer(record: record, number: number)
    }
}

@c @implementation
public func appreceipt_answer_records(
    _ handle: OpaquePointer?, _ records: UnsafePointer<CChar>?, _ length: Int,
    _ number: UnsafeMutablePointer<Int>?,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        guard let number = unsafe number else { throw .badRequest("number: must not be NULL") }
        let records = try unsafe bytes(records, length, atMost: Verifier.maximumLoneRecordBytes)
        try requireRecordNumber(unsafe number.pointee)
        return try unsafe verifier.answer(records: records, number: &number.pointee)
    }
}

/// Checks a record number, in which a size above `Int.max` is negative.
private func requireRecordNumber(_ number: Int) throws(BoundaryFailure) {
    // The number after the last line of a call must be valid, too.
    let most = Int.max - Verifier.maximumLoneRecordBytes
    guard 1...most ~= number else { throw .badRequest("number: must be a number from 1 to \(most)") }
}

@c @implementation
public func appreceipt_answer_customer(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BoundaryFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.answer(
            customer: unsafe bytes(request, length, atMost: CustomerRequest.maximumBytes))
    }
}

@c @implementation
public func appreceipt_version() -> UnsafePointer<CChar>? { unsafe behindBoundary { unsafe versionText } }

@c @implementation
public func appreceipt_free(_ answer: UnsafeMutablePointer<CChar>?) { unsafe free(answer) }
