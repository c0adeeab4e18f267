package appreceipt

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Any, as the only value of BundleIDs or Environments, accepts every value.
const Any = "any"

// Values of Environments.
const Production, Sandbox, Xcode = "production", "sandbox", "xcode"

// Settings are a verifier's settings. BundleIDs and Environments are required, so that no missing setting removes a check.
// The zero value of each other field leaves it out. Empty slices that are not nil are errors. appreceipt.h describes them.
type Settings struct {
	BundleIDs         []string
	Environments      []string
	AppAppleIDs       []int64
	DeviceID          []byte
	Roots             [][]byte // DER or PEM, instead of Apple's
	StoreKitTestRoots [][]byte
	CrossCheck        bool
	SHA1Signatures    string
	CRL               [][]byte          // certificate revocation lists in DER or PEM
	Distrust          json.RawMessage   // certificates to distrust
	Revocation        string            // off, check or require
	Limits            map[string]int    // for example {"signature_checks": 64}
	Policies          map[string]string // for example {"refunds": "ignore"}
	Catalog           json.RawMessage
	VerifyReceipt     map[string]string
}

// Question asks about one customer's offers. Only Evidence is required.
type Question struct {
	Evidence            [][]byte          // inputs of Verify
	RenewalInfo         [][]byte          // signed renewal information
	UnsignedRenewalInfo []json.RawMessage // saved verifyReceipt answers, for which the caller vouches
	Products            []string          // default: every product of the catalog
	AsOf                time.Time         // default: the present time
	Catalog             json.RawMessage   // default: the settings' catalog
	SingleGroup         bool              // all subscriptions are one group, instead of a catalog
	RefusedEvidence     string            // error, the default, or caveat
}

func (s Settings) json() ([]byte, error) {
	members := map[string]any{"bundle_ids": s.BundleIDs, "environment": s.Environments, "cross_check": s.CrossCheck}
	put(members, "app_apple_id", s.AppAppleIDs, s.AppAppleIDs != nil)
	put(members, "device_id", hex.EncodeToString(s.DeviceID), s.DeviceID != nil)
	put(members, "roots", texts(s.Roots), s.Roots != nil)
	put(members, "storekit_test_roots", texts(s.StoreKitTestRoots), s.StoreKitTestRoots != nil)
	put(members, "sha1_signatures", s.SHA1Signatures, s.SHA1Signatures != "")
	put(members, "crl", texts(s.CRL), s.CRL != nil)
	put(members, "distrust", s.Distrust, s.Distrust != nil)
	put(members, "revocation", s.Revocation, s.Revocation != "")
	put(members, "limits", s.Limits, s.Limits != nil)
	put(members, "policies", s.Policies, s.Policies != nil)
	put(members, "catalog", s.Catalog, s.Catalog != nil)
	put(members, "verify_receipt", s.VerifyReceipt, s.VerifyReceipt != nil)
	return json.Marshal(members)
}

func (q Question) json() ([]byte, error) {
	members := map[string]any{"evidence": texts(q.Evidence), "renewal_info": texts(q.RenewalInfo), "single_group": q.SingleGroup}
	put(members, "unsigned_renewal_info", q.UnsignedRenewalInfo, q.UnsignedRenewalInfo != nil)
	put(members, "products", q.Products, q.Products != nil)
	put(members, "as_of", q.AsOf.UTC().Format("2006-01-02T15:04:05.000Z07:00"), !q.AsOf.IsZero())
	put(members, "catalog", q.Catalog, q.Catalog != nil)
	put(members, "refused_evidence", q.RefusedEvidence, q.RefusedEvidence != "")
	return json.Marshal(members)
}

func put(members map[string]any, name string, value any, given bool) {
	if given {
		members[name] = value
	}
}

// texts returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes.
func texts(inputs [][]byte) []string {
	made := make([]string, len(inputs))
	for index, input := range inputs {
		if made[index] = string(input); !utf8.Valid(input) {
			made[index] = base64.StdEncoding.EncodeToString(input)
		}
	}
	return made
}
