package appreceipt

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// SignedObject is a genuine object. `appreceipt schema verify` describes each member. An absent text is "", an absent date
// is the zero time, and every other absent value is nil. Binary values are hexadecimal.
type SignedObject struct {
	Kind          string     `json:"kind"` // receipt, transaction, renewal_info, app_transaction, notification, realtime_request
	Format        string     `json:"format"`
	SHA256        string     `json:"sha256"`
	ContentSHA256 string     `json:"content_sha256"` // identifies a receipt
	Realm         string     `json:"realm"`
	Environment   string     `json:"environment"`
	Signature     Signature  `json:"signature"`
	Revocation    Revocation `json:"revocation"`
	Receipt       *Receipt   `json:"receipt"` // if Kind is receipt
	InApp         *Purchase  `json:"in_app"`  // if Kind is transaction
	Caveats       []string   `json:"caveats"`

	Path    string          `json:"-"` // the path in the input, or "" for the whole input
	Members json.RawMessage `json:"-"` // all signed members under Apple's names, unless Kind is receipt
	JSON    json.RawMessage `json:"-"` // the line of `appreceipt verify --json`
}

// Signature holds the certificates from the signer to the root, and the time at which they had to be valid.
type Signature struct {
	Digest     string        `json:"digest"`
	Algorithm  string        `json:"algorithm"`
	VerifiedAt time.Time     `json:"verified_at"`
	Chain      []Certificate `json:"chain"`
}

// Revocation states what revocation lists show about the certificates: not_checked, good or no_information.
type Revocation struct {
	Status  string    `json:"status"`
	AsOf    time.Time `json:"as_of"` // the issue date of the oldest list, if Status is good
	Caveats []string  `json:"caveats"`
}

type Certificate struct {
	Subject   string    `json:"subject"`
	Issuer    string    `json:"issuer"`
	Serial    string    `json:"serial"`
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"`
	SHA256    string    `json:"sha256"`
}

type Receipt struct {
	ReceiptType                string             `json:"receipt_type"`
	BundleID                   string             `json:"bundle_id"`
	ApplicationVersion         string             `json:"application_version"`
	OriginalApplicationVersion string             `json:"original_application_version"`
	ReceiptCreationDate        time.Time          `json:"receipt_creation_date"`
	OriginalPurchaseDate       time.Time          `json:"original_purchase_date"`
	ExpirationDate             time.Time          `json:"expiration_date"`
	AppItemID                  string             `json:"app_item_id"`
	DownloadID                 string             `json:"download_id"`
	VersionExternalIdentifier  string             `json:"version_external_identifier"`
	OpaqueValue                string             `json:"opaque_value"`
	SHA1Hash                   string             `json:"sha1_hash"`
	InApp                      []Purchase         `json:"in_app"`
	Unknown                    []UnknownAttribute `json:"unknown"`
}

type Purchase struct {
	Quantity                    *int64             `json:"quantity"`
	ProductID                   string             `json:"product_id"`
	ProductType                 string             `json:"product_type"`
	TransactionID               string             `json:"transaction_id"`
	OriginalTransactionID       string             `json:"original_transaction_id"`
	PurchaseDate                time.Time          `json:"purchase_date"`
	OriginalPurchaseDate        time.Time          `json:"original_purchase_date"`
	ExpiresDate                 time.Time          `json:"expires_date"`
	CancellationDate            time.Time          `json:"cancellation_date"`
	CancellationReason          *int64             `json:"cancellation_reason"`
	IsTrialPeriod               *bool              `json:"is_trial_period"`
	IsInIntroOfferPeriod        *bool              `json:"is_in_intro_offer_period"`
	PromotionalOfferIdentifier  string             `json:"promotional_offer_identifier"`
	WebOrderLineItemID          string             `json:"web_order_line_item_id"`
	SubscriptionGroupIdentifier string             `json:"subscription_group_identifier"`
	Unknown                     []UnknownAttribute `json:"unknown"`
}

// UnknownAttribute is an attribute of unknown meaning, kept so that no signed data is lost.
type UnknownAttribute struct {
	Type    int64  `json:"type"`
	Version int64  `json:"version"`
	Value   string `json:"value"`
}

// Date returns a signed member that is a date, for example "signedDate", or the zero time if there is none.
func (o *SignedObject) Date(member string) time.Time {
	var members map[string]json.RawMessage
	var milliseconds *float64
	if json.Unmarshal(o.Members, &members) != nil || json.Unmarshal(members[member], &milliseconds) != nil || milliseconds == nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(*milliseconds)).UTC()
}

// Result is a genuine object, or the refusal of one. The other is nil.
type Result struct {
	Object  *SignedObject
	Refusal *Error
}

// UnmarshalJSON reads a line of `appreceipt verify --json`.
func (r *Result) UnmarshalJSON(line []byte) error {
	var parsed struct {
		Source, Status, SHA256, Format, Kind string
		Refusal                              *Error `json:"refusal"`
	}
	if err := json.Unmarshal(line, &parsed); err != nil {
		return err
	}
	path := strings.TrimPrefix(strings.TrimPrefix(parsed.Source, "-"), "#")
	if r.Refusal = parsed.Refusal; r.Refusal != nil {
		r.Refusal.kind, r.Refusal.Path, r.Refusal.SHA256, r.Refusal.Format = ErrRefused, path, parsed.SHA256, parsed.Format
		return nil
	}
	r.Object = &SignedObject{Kind: "receipt", Path: path, JSON: append(json.RawMessage(nil), line...)}
	var members map[string]json.RawMessage
	if parsed.Kind != "" {
		if err := json.Unmarshal(line, &members); err != nil {
			return err
		}
		r.Object.Members = members[parsed.Kind]
	}
	return json.Unmarshal(line, r.Object)
}

// The kinds of Error, for errors.Is.
var (
	ErrRefused         = errors.New("not genuine, or not conforming to the settings")
	ErrEvidenceRefused = errors.New("evidence refused, or belonging to several apps or environments")
	ErrNotOneObject    = errors.New("no signed object, or several")
	ErrBadRequest      = errors.New("invalid settings or request")
	ErrUnavailable     = errors.New("nothing was verified; retry")
	ErrClosed          = errors.New("verifier closed")
)

// Error is every error of this package. Code is for programs. Transient states whether the same call may succeed later.
type Error struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Transient bool   `json:"-"`

	Offset   *int64            `json:"offset"` // of a refusal: the first byte at fault
	Field    string            `json:"field"`
	Path     string            `json:"-"`
	SHA256   string            `json:"-"`
	Format   string            `json:"-"`
	Refusals []RefusedEvidence `json:"-"` // of ErrEvidenceRefused

	kind error
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Offset != nil {
		text = fmt.Sprintf("%s at byte %d: %s", e.Code, *e.Offset, e.Message)
	}
	if e.Field != "" {
		text += " (" + e.Field + ")"
	}
	return text
}

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.kind }
