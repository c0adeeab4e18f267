package appreceipt;

import java.time.Instant;
import java.util.List;

/** The verdict for each product, the refused evidence that the verdicts leave out, and the library's answer. */
public record Verdicts(List<Verdict> verdicts, List<RefusedEvidence> refusals, String json) {
    /** The answer for one product. {@code appreceipt schema eligibility} describes each member. */
    public record Verdict(
        String productId, String subscriptionGroup, Instant asOf, Instant evidenceDate, Offer introductoryOffer,
        Offer promotionalOffer, Offer winBackOffer, Subscription subscription, List<String> sources) {
        public Verdict { sources = Json.frozen(sources); }
    }

    /** @param outcome eligible, ineligible or undetermined */
    public record Offer(
        String outcome, String rule, String certainty, Boolean configured, List<String> transactions, String explanation,
        List<String> findings, List<String> caveats, List<String> offers) {
        public Offer {
            transactions = Json.frozen(transactions);
            findings = Json.frozen(findings);
            caveats = Json.frozen(caveats);
            offers = Json.frozen(offers);
        }
    }

    public record Subscription(String state, String productId, Instant since, Instant until) {}

    /** A refused object. Its index is in evidence or renewalInfo, and the other is null. */
    public record RefusedEvidence(Integer evidence, Integer renewalInfo, String path, Refusal refusal) {}
}
