package appreceipt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const fixtures = "../../../Fixtures"

var anything = Settings{BundleIDs: []string{Any}, Environments: []string{Any}}

func fixture(t *testing.T, path string) []byte { return read(t, filepath.Join(fixtures, path)) }

// Returns a verifier that trusts the authority of Fixtures.
func trusting(t *testing.T) *Verifier {
	settings := anything
	settings.Roots = [][]byte{fixture(t, "roots/root.cer")}
	verifier, err := New(settings)
	check(t, err)
	t.Cleanup(func() { verifier.Close() })
	return verifier
}

func TestInvalidSettingsAreErrors(t *testing.T) {
	for _, row := range []struct {
		change  func(*Settings)
		message string
	}{
		{func(s *Settings) { s.BundleIDs = nil }, "bad_settings: bundle_ids"},
		{func(s *Settings) { s.Environments = nil }, "bad_settings: environment"},
		{func(s *Settings) { s.Environments = []string{} }, "must not be empty"},
		{func(s *Settings) { s.Environments = []string{"prod"} }, "environment"},
		{func(s *Settings) { s.AppAppleIDs = []int64{} }, "app_apple_id"},
		{func(s *Settings) { s.DeviceID = []byte{} }, "device_id"},
		{func(s *Settings) { s.Roots = [][]byte{} }, "roots"},
		{func(s *Settings) { s.Roots = [][]byte{[]byte("no certificate")} }, "roots[0]"},
		{func(s *Settings) { s.Limits = map[string]int{"checks": 1} }, "checks"},
	} {
		settings := anything
		row.change(&settings)
		_, err := New(settings)
		if !errors.Is(err, ErrBadRequest) || !strings.Contains(err.Error(), row.message) {
			t.Errorf("%v, expected %q", err, row.message)
		}
	}
}

func TestRefusedEvidenceIsRefused(t *testing.T) {
	question := Question{
		Evidence: [][]byte{fixture(t, "receipts/never-subscribed.der"), fixture(t, "receipts/tampered.der"), []byte(`{"signedPayload": "x"}`)},
		Products: []string{"a"}, SingleGroup: true}
	_, err := trusting(t).Eligibility(question)
	var found *Error
	if !errors.As(err, &found) || !errors.Is(err, ErrEvidenceRefused) {
		t.Fatal(err)
	}
	question.RefusedEvidence = "caveat"
	verdicts, err := trusting(t).Eligibility(question)
	check(t, err)
	for _, refusals := range [][]RefusedEvidence{found.Refusals, verdicts.Refusals} {
		if len(refusals) != 2 || refusals[1].Path != "signedPayload" {
			t.Fatal(refusals)
		}
		for _, each := range refusals {
			if !errors.Is(each.Refusal, ErrRefused) || each.Refusal.Path != each.Path {
				t.Errorf("%v is not ErrRefused", each.Refusal)
			}
		}
	}
}

func TestSettingsApply(t *testing.T) {
	for _, row := range []struct {
		change func(*Settings)
		code   string
	}{
		{func(s *Settings) {}, ""},
		{func(s *Settings) { s.BundleIDs = []string{"com.example.other"} }, "wrong_bundle_id"},
		{func(s *Settings) { s.Distrust = []byte(`{"certificates": [{"serial": "7e570001"}]}`) }, "revoked"},
		{func(s *Settings) { s.Environments = []string{Sandbox, Xcode} }, "wrong_environment"},
		{func(s *Settings) { s.DeviceID = make([]byte, 16) }, "wrong_device"},
		{func(s *Settings) { s.Limits = map[string]int{"certificates": 2} }, "too_large"},
	} {
		settings := anything
		settings.Roots = [][]byte{fixture(t, "roots/root.cer")}
		row.change(&settings)
		verifier, err := New(settings)
		check(t, err)
		_, err = verifier.Verify(fixture(t, "receipts/never-subscribed.der"))
		var found *Error
		if errors.As(err, &found); (found == nil) != (row.code == "") || found != nil && found.Code != row.code {
			t.Errorf("%v, expected %q", err, row.code)
		}
		if found != nil && (found.Transient || !errors.Is(err, ErrRefused)) {
			t.Errorf("%v is not a permanent refusal", err)
		}
		check(t, verifier.Close())
	}
}

func TestSeveralObjectsAreNotOne(t *testing.T) {
	_, err := trusting(t).Verify(fixture(t, "jws/history.json"))
	if !errors.Is(err, ErrNotOneObject) {
		t.Error(err)
	}
}

func TestDatesOfSignedMembers(t *testing.T) {
	object, err := trusting(t).Verify(fixture(t, "jws/transaction.jws"))
	check(t, err)
	if date := object.Date("signedDate"); !date.Equal(time.UnixMilli(1770019200250)) {
		t.Error(date)
	}
	if !object.Date("productId").IsZero() || !object.Date("none").IsZero() {
		t.Error("a date that is not one")
	}
}

// Tests/Languages/counted.c returns APPRECEIPT_UNAVAILABLE for this input.
func TestUnavailableIsTransient(t *testing.T) {
	if os.Getenv("COUNTS") == "" {
		t.Skip("COUNTS is not set; run Tests/Languages/run")
	}
	_, err := trusting(t).Verify([]byte("unavailable"))
	var found *Error
	if !errors.As(err, &found) || !found.Transient || !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

func TestInputIsUnchanged(t *testing.T) {
	data := []byte("receipt, and more")
	for _, length := range []int{0, 7} {
		if _, err := trusting(t).Verify(data[:length]); !errors.Is(err, ErrRefused) || string(data) != "receipt, and more" {
			t.Errorf("%v, %q", err, data)
		}
	}
}

func TestVerifyReceiptAnswer(t *testing.T) {
	answer, err := trusting(t).VerifyReceiptAnswer([]byte(`{"receipt-data": "AA=="}`))
	check(t, err)
	if !bytes.Contains(answer, []byte(`"status":21002`)) {
		t.Errorf("%s", answer)
	}
}

// Calls in other goroutines end before a verifier is closed, and never use a closed one.
func TestCloseWaitsForCalls(t *testing.T) {
	receipt := fixture(t, "receipts/never-subscribed.der")
	for round := 0; round < 20; round++ {
		verifier := trusting(t)
		var group, began sync.WaitGroup
		began.Add(4)
		for worker := 0; worker < 4; worker++ {
			group.Add(1)
			go func() {
				defer group.Done()
				for count := 0; ; count++ {
					if _, err := verifier.Verify(receipt); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
					if count == 0 {
						began.Done()
					}
				}
			}()
		}
		began.Wait()
		check(t, verifier.Close())
		check(t, verifier.Close())
		group.Wait()
	}
}

// The garbage collector closes verifiers. COUNTS is the file of Tests/Languages/counted.c.
func TestCollectedVerifiersAreClosed(t *testing.T) {
	if os.Getenv("COUNTS") == "" {
		t.Skip("COUNTS is not set; run Tests/Languages/run")
	}
	for count := 0; count < 50; count++ {
		_, err := New(anything)
		check(t, err)
	}
	for range [300]int{} {
		runtime.GC()
		counts := read(t, os.Getenv("COUNTS"))
		if bytes.Count(counts, []byte("+v")) == bytes.Count(counts, []byte("-v")) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("verifiers remain open")
}
