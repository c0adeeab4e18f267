// Verifies a file: verify FILE SETTINGS
package main

/*
#cgo LDFLAGS: -lappreceipt
#include <appreceipt.h>
#include <stdlib.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"
)

type result struct {
	Status  string
	Refusal struct{ Code string }
	Receipt struct {
		BundleID string `json:"bundle_id"`
		InApp    []struct {
			ProductID string `json:"product_id"`
		} `json:"in_app"`
	}
}

// Returns the code and the answer: 0 if all objects are genuine, 1 if one is refused, more if nothing was verified.
func verify(settings string, input []byte) (int, []byte) {
	var verifier *C.appreceipt
	var answer *C.char
	var length C.size_t
	given, bytes := C.CString(settings), C.CBytes(input)
	defer C.free(unsafe.Pointer(given))
	defer C.free(bytes)
	code := C.appreceipt_open(given, C.size_t(len(settings)), &verifier, &answer, &length)
	if code == C.APPRECEIPT_OK {
		defer C.appreceipt_close(verifier)
		code = C.appreceipt_verify(verifier, bytes, C.size_t(len(input)), &answer, &length)
	}
	defer C.appreceipt_free(answer)
	return int(code), C.GoBytes(unsafe.Pointer(answer), C.int(length))
}

func main() {
	input, err := os.ReadFile(os.Args[1])
	code, answer := verify(os.Args[2], input)
	var found struct{ Results []result }
	if err != nil || code > 1 || json.Unmarshal(answer, &found) != nil {
		panic(fmt.Sprint("not judged: ", err, string(answer)))
	}
	for _, each := range found.Results {
		fmt.Println(each.Status, each.Receipt.BundleID+each.Refusal.Code)
		for _, purchase := range each.Receipt.InApp {
			fmt.Println("  " + purchase.ProductID)
		}
	}
}
