// Package appreceipt verifies App Store receipts and signed transactions offline, in the process, with libappreceipt.
package appreceipt

/*
#cgo LDFLAGS: -lappreceipt
#include <appreceipt.h>

enum function { verify, eligibility, verify_receipt_answer };

static int call(enum function function, appreceipt *handle, const void *input, size_t length, char **answer, size_t *size) {
    return function == verify        ? appreceipt_verify(handle, input, length, answer, size)
           : function == eligibility ? appreceipt_eligibility(handle, input, length, answer, size)
                                     : appreceipt_verify_receipt_answer(handle, input, length, answer, size);
}
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Verifier verifies receipts and other signed objects. Create it once, and use it from any goroutine.
type Verifier struct {
	// Close waits for the calls in other goroutines.
	lock   sync.RWMutex
	handle *C.appreceipt
}

// Version returns the version of the library.
func Version() string { return C.GoString(C.appreceipt_version()) }

// New creates a verifier. It fails with ErrBadRequest if a setting is missing or invalid.
func New(settings Settings) (*Verifier, error) {
	text, err := settings.json()
	if err != nil {
		return nil, err
	}
	var handle *C.appreceipt
	_, _, err = answer(text, func(input unsafe.Pointer, length C.size_t, text **C.char, size *C.size_t) C.int {
		return C.appreceipt_open((*C.char)(input), length, &handle, text, size)
	})
	if err != nil {
		return nil, err
	}
	verifier := &Verifier{handle: handle}
	runtime.SetFinalizer(verifier, (*Verifier).Close)
	return verifier, nil
}

// Close releases the verifier's resources after calls in other goroutines end. Later calls fail with ErrClosed.
func (v *Verifier) Close() error {
	v.lock.Lock()
	defer v.lock.Unlock()
	runtime.SetFinalizer(v, nil)
	C.appreceipt_close(v.handle)
	v.handle = nil
	return nil
}

// Verify verifies one signed object: a receipt (DER, base64 or PEM), a compact JWS or a transaction receipt. It fails with
// ErrRefused if the object is not genuine or does not conform to the settings, and with ErrNotOneObject unless there is
// exactly one.
func (v *Verifier) Verify(data []byte) (*SignedObject, error) {
	results, err := v.VerifyAll(data)
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, &Error{kind: ErrNotOneObject, Code: "not_one_object", Message: fmt.Sprintf("%d signed objects, expected one; use VerifyAll", len(results))}
	}
	if results[0].Refusal != nil {
		return nil, results[0].Refusal
	}
	return results[0].Object, nil
}

// VerifyAll verifies every signed object of an input, for example of a notification. It returns their results in order.
func (v *Verifier) VerifyAll(data []byte) ([]Result, error) {
	var parsed struct{ Results []Result }
	text, err := v.Answer(data)
	if err == nil {
		err = json.Unmarshal(text, &parsed)
	}
	return parsed.Results, err
}

// Answer returns the library's JSON answer: "results", each of which is a line of `appreceipt verify --json`.
func (v *Verifier) Answer(data []byte) ([]byte, error) {
	_, text, err := v.call(C.verify, data)
	return text, err
}

// Eligibility determines the subscription offers that one customer can still get. It fails with ErrEvidenceRefused if
// evidence is refused or belongs to several apps or environments.
func (v *Verifier) Eligibility(question Question) (*Verdicts, error) {
	request, err := question.json()
	if err != nil {
		return nil, err
	}
	code, text, err := v.call(C.eligibility, request)
	if err != nil {
		return nil, err
	}
	var parsed struct {
		Verdicts
		Error *Error `json:"error"`
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	for _, each := range parsed.Refusals {
		each.Refusal.kind, each.Refusal.Path = ErrRefused, each.Path
	}
	if code != C.APPRECEIPT_OK && parsed.Error != nil {
		parsed.Error.kind, parsed.Error.Refusals = ErrEvidenceRefused, parsed.Refusals
		return nil, parsed.Error
	}
	parsed.Verdicts.JSON = text
	return &parsed.Verdicts, nil
}

// VerifyReceiptAnswer returns the answer of Apple's verifyReceipt to a request's body.
func (v *Verifier) VerifyReceiptAnswer(request []byte) ([]byte, error) {
	_, text, err := v.call(C.verify_receipt_answer, request)
	return text, err
}

func (v *Verifier) call(function uint32, input []byte) (C.int, []byte, error) {
	v.lock.RLock()
	defer v.lock.RUnlock()
	if v.handle == nil {
		return 0, nil, &Error{kind: ErrClosed, Code: "closed", Message: "verifier: closed"}
	}
	return answer(input, func(input unsafe.Pointer, length C.size_t, text **C.char, size *C.size_t) C.int {
		return C.call(function, v.handle, input, length, text, size)
	})
}

// answer returns the code, the answer, and an error if nothing was verified.
func answer(input []byte, function func(unsafe.Pointer, C.size_t, **C.char, *C.size_t) C.int) (C.int, []byte, error) {
	var text *C.char
	var size C.size_t
	var start unsafe.Pointer
	if len(input) > 0 {
		start = unsafe.Pointer(&input[0])
	}
	code := function(start, C.size_t(len(input)), &text, &size)
	defer C.appreceipt_free(text)
	copied := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(text)), int(size))...)
	if code == C.APPRECEIPT_OK || code == C.APPRECEIPT_REFUSED {
		return code, copied, nil
	}
	if code != C.APPRECEIPT_BAD_REQUEST {
		return code, nil, &Error{kind: ErrUnavailable, Code: "unavailable", Transient: true, Message: "out of memory, or OpenSSL failed; nothing was verified"}
	}
	parsed := struct{ Error *Error }{&Error{Code: "bad_request", Message: "request not understood"}}
	if err := json.Unmarshal(copied, &parsed); err != nil && len(copied) > 0 {
		return code, nil, err
	}
	parsed.Error.kind = ErrBadRequest
	return code, nil, parsed.Error
}
