package appreceipt

import (
	"encoding/json"
	"time"
)

// Verdicts are the verdict for each product, in the order of the question.
type Verdicts struct {
	Verdicts []Verdict         `json:"verdicts"`
	Refusals []RefusedEvidence `json:"refusals"` // empty unless RefusedEvidence is caveat
	JSON     json.RawMessage   `json:"-"`        // the library's answer
}

// Verdict is the answer for one product. `appreceipt schema eligibility` describes each member.
type Verdict struct {
	ProductID         string       `json:"product_id"`
	SubscriptionGroup string       `json:"subscription_group"`
	AsOf              time.Time    `json:"as_of"`
	EvidenceDate      time.Time    `json:"evidence_date"`
	IntroductoryOffer Offer        `json:"introductory_offer"`
	PromotionalOffer  Offer        `json:"promotional_offer"`
	WinBackOffer      Offer        `json:"win_back_offer"`
	Subscription      Subscription `json:"subscription"`
	Sources           []string     `json:"sources"`
}

type Offer struct {
	Outcome      string   `json:"outcome"` // eligible, ineligible, undetermined
	Rule         string   `json:"rule"`
	Certainty    string   `json:"certainty"`
	Configured   *bool    `json:"configured"`
	Transactions []string `json:"transactions"`
	Explanation  string   `json:"explanation"`
	Findings     []string `json:"findings"`
	Caveats      []string `json:"caveats"`
	Offers       []string `json:"offers"`
}

type Subscription struct {
	State     string    `json:"state"`
	ProductID string    `json:"product_id"`
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"`
}

// RefusedEvidence is a refused object among the evidence. Its index is in Evidence or RenewalInfo, and the other is nil.
type RefusedEvidence struct {
	Evidence    *int   `json:"evidence"`
	RenewalInfo *int   `json:"renewal_info"`
	Path        string `json:"path"`
	Refusal     *Error `json:"refusal"`
}
