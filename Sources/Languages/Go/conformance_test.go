package appreceipt

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"
)

type conformanceCase struct {
	Settings struct {
		BundleIDs         []string          `json:"bundle_ids"`
		Environment       []string          `json:"environment"`
		Roots             []string          `json:"roots"`
		StoreKitTestRoots []string          `json:"storekit_test_roots"`
		Policies          map[string]string `json:"policies"`
	}
	Input     string
	Evidence  []string
	Renewals  []string
	Unsigned  []string
	Products  []string
	AsOf      time.Time `json:"as_of"`
	Catalog   string
	IsSingle  bool   `json:"single_group"`
	Treatment string `json:"refused_evidence"`
}

// TestConformance writes the answers to the cases of Tests/Languages/run, which compares them.
func TestConformance(t *testing.T) {
	if os.Getenv("CASES") == "" {
		t.Skip("CASES is not set; run Tests/Languages/run")
	}
	cases, err := os.Open(os.Getenv("CASES"))
	check(t, err)
	defer cases.Close()
	answers, err := os.Create(os.Getenv("ANSWERS"))
	check(t, err)
	defer answers.Close()
	writer := json.NewEncoder(answers)
	lines := bufio.NewScanner(cases)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var given conformanceCase
		check(t, json.Unmarshal(lines.Bytes(), &given))
		verifier, err := New(Settings{
			BundleIDs: given.Settings.BundleIDs, Environments: given.Settings.Environment, Roots: bytesOf(given.Settings.Roots),
			StoreKitTestRoots: bytesOf(given.Settings.StoreKitTestRoots), Policies: given.Settings.Policies})
		check(t, err)
		if given.Input != "" {
			check(t, writer.Encode(verified(t, verifier, read(t, given.Input))))
		} else {
			check(t, writer.Encode(determined(t, verifier, given)))
		}
		check(t, verifier.Close())
	}
	check(t, lines.Err())
}

func verified(t *testing.T, verifier *Verifier, data []byte) any {
	answer, err := verifier.Answer(data)
	check(t, err)
	all, err := verifier.VerifyAll(data)
	check(t, err)
	results := []any{}
	for _, each := range all {
		results = append(results, plain(each))
	}
	one := Result{}
	one.Object, err = verifier.Verify(data)
	if !errors.As(err, &one.Refusal) {
		check(t, err)
	}
	return map[string]any{"answer": string(answer), "results": results, "one": plain(one)}
}

func determined(t *testing.T, verifier *Verifier, given conformanceCase) any {
	question := Question{Products: given.Products, AsOf: given.AsOf, SingleGroup: given.IsSingle, RefusedEvidence: given.Treatment}
	for _, path := range given.Evidence {
		question.Evidence = append(question.Evidence, read(t, path))
	}
	for _, path := range given.Renewals {
		question.RenewalInfo = append(question.RenewalInfo, read(t, path))
	}
	for _, text := range given.Unsigned {
		question.UnsignedRenewalInfo = append(question.UnsignedRenewalInfo, json.RawMessage(text))
	}
	if given.Catalog != "" {
		question.Catalog = read(t, given.Catalog)
	}
	found, err := verifier.Eligibility(question)
	var failure *Error
	if errors.As(err, &failure) {
		return map[string]any{"error": failure, "refusals": failure.Refusals}
	}
	check(t, err)
	return map[string]any{"answer": string(found.JSON), "verdicts": found.Verdicts, "refusals": found.Refusals}
}

// Returns the members of the contract.
func plain(result Result) map[string]any {
	if result.Refusal != nil {
		return map[string]any{"refusal": result.Refusal, "path": result.Refusal.Path, "sha256": result.Refusal.SHA256,
			"format": result.Refusal.Format}
	}
	text, _ := json.Marshal(result.Object)
	var members map[string]any
	_ = json.Unmarshal(text, &members)
	members["path"], members["json"] = result.Object.Path, string(result.Object.JSON)
	if result.Object.Kind != "receipt" {
		members[result.Object.Kind] = result.Object.Members
	}
	return members
}

func bytesOf(texts []string) [][]byte {
	var made [][]byte
	for _, text := range texts {
		made = append(made, []byte(text))
	}
	return made
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, err)
	return data
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
