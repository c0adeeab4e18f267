// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CAppReceiptBorder
import ReceiptJSON

// What C calls. Each function's documentation is in appreceipt.h.

// MARK: - Verifiers

@c @implementation
public func appreceipt_open(
    _ settings: UnsafePointer<CChar>?, _ length: Int, _ handle: UnsafeMutablePointer<OpaquePointer?>?,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe handle?.pointee = nil
    return unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        guard let handle = unsafe handle else { throw .badRequest("handle is NULL") }
        let text = try unsafe bytes(settings, length, atMost: Settings.maximumBytes)
        guard let text else { throw .badRequest("settings: more than \(Settings.maximumBytes) bytes") }
        let verifier = try Verifier(Settings(text))
        unsafe handle.pointee = OpaquePointer(Unmanaged.passRetained(verifier).toOpaque())
        return Answer(APPRECEIPT_OK)
    }
}

@c @implementation
public func appreceipt_close(_ handle: OpaquePointer?) {
    behindBorder {
        guard let handle = unsafe handle else { return }
        unsafe Unmanaged<Verifier>.fromOpaque(UnsafeRawPointer(handle)).release()
    }
}

// MARK: - Questions

@c @implementation
public func appreceipt_verify(
    _ handle: OpaquePointer?, _ input: UnsafeRawPointer?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
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
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        // A count that no memory has is negative here.
        guard 0...Verifier.maximumInputs ~= count else {
            throw .badRequest("count: more than \(Verifier.maximumInputs)")
        }
        guard let inputs = unsafe inputs, let lengths = unsafe lengths else {
            guard count == 0 else { throw .badRequest("inputs or lengths is NULL") }
            return try verifier.verify(lengths: []) { _ in nil }
        }
        // Read once each: the caller may change them.
        let starts = unsafe Array(UnsafeBufferPointer(start: inputs, count: count))
        let counts = unsafe Array(UnsafeBufferPointer(start: lengths, count: count))
        return try verifier.verify(lengths: counts) { index throws(BorderFailure) in
            try unsafe bytes(starts[index], counts[index], atMost: verifier.maximumInputBytes)
        }
    }
}

@c @implementation
public func appreceipt_eligibility(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.eligibility(
            unsafe bytes(request, length, atMost: Verifier.maximumEligibilityRequestBytes))
    }
}

@c @implementation
public func appreceipt_verify_receipt_answer(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.verifyReceiptAnswer(
            to: unsafe bytes(request, length, atMost: Verifier.maximumVerifyReceiptRequestBytes))
    }
}

@c @implementation
public func appreceipt_answer_record(
    _ handle: OpaquePointer?, _ record: UnsafePointer<CChar>?, _ length: Int, _ number: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        let record = try unsafe bytes(record, length, atMost: verifier.maximumRecordBytes)
        // A number that no record has is negative here.
        return try verifier.answer(record: record, number: max(number, 0))
    }
}

@c @implementation
public func appreceipt_answer_records(
    _ handle: OpaquePointer?, _ records: UnsafePointer<CChar>?, _ length: Int,
    _ number: UnsafeMutablePointer<Int>?,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        guard let number = unsafe number else { throw .badRequest("number is NULL") }
        let records = try unsafe bytes(records, length, atMost: Verifier.maximumLoneRecordBytes)
        // A number that no record has is negative here.
        guard (1...Int.max - Verifier.maximumLoneRecordBytes).contains(unsafe number.pointee) else {
            throw .badRequest("number: no record has it")
        }
        return try unsafe verifier.answer(records: records, number: &number.pointee)
    }
}

@c @implementation
public func appreceipt_answer_customer(
    _ handle: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ length: Int,
    _ answer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ answerLength: UnsafeMutablePointer<Int>?
) -> CInt {
    unsafe answering(answer, answerLength) { () throws(BorderFailure) in
        let verifier = try unsafe verifier(handle)
        return try verifier.answer(
            customer: unsafe bytes(request, length, atMost: CustomerRequest.maximumBytes))
    }
}

// MARK: - What is handed over

@c @implementation
public func appreceipt_version() -> UnsafePointer<CChar>? { unsafe behindBorder { unsafe versionText } }

@c @implementation
public func appreceipt_free(_ answer: UnsafeMutablePointer<CChar>?) { unsafe releaseText(answer) }
