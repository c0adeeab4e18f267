package appreceipt;

import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.List;

/** A genuine object. {@code appreceipt schema verify} describes each member. Binary values are hexadecimal. Absent values are null.
 *
 * @param kind receipt, transaction, renewal_info, app_transaction, notification or realtime_request
 * @param receipt the content, if the kind is receipt
 * @param inApp the purchase, if the kind is transaction
 * @param json the line of {@code appreceipt verify --json}
 */
public record SignedObject(
    String kind, String format, String sha256, String contentSha256, String realm, String environment, Signature signature,
    Revocation revocation, Receipt receipt, Purchase inApp, List<String> caveats, String path, String json) implements Result {

    public SignedObject { caveats = Json.frozen(caveats); }

    /** The certificates from the signer to the root, and the time at which they had to be valid. */
    public record Signature(String digest, String algorithm, Instant verifiedAt, List<Certificate> chain) {
        public Signature { chain = Json.frozen(chain); }
    }

    /** What revocation lists show about the certificates: not_checked, good or no_information. */
    public record Revocation(String status, Instant asOf, List<String> caveats) {
        public Revocation { caveats = Json.frozen(caveats); }
    }

    public record Certificate(String subject, String issuer, String serial, Instant notBefore, Instant notAfter, String sha256) {}

    public record Receipt(
        String receiptType, String bundleId, String applicationVersion, String originalApplicationVersion,
        Instant receiptCreationDate, Instant originalPurchaseDate, Instant expirationDate, String appItemId, String downloadId,
        String versionExternalIdentifier, String opaqueValue, String sha1Hash, List<Purchase> inApp,
        List<UnknownAttribute> unknown) {
        public Receipt {
            inApp = Json.frozen(inApp);
            unknown = Json.frozen(unknown);
        }
    }

    public record Purchase(
        Long quantity, String productId, String productType, String transactionId, String originalTransactionId,
        Instant purchaseDate, Instant originalPurchaseDate, Instant expiresDate, Instant cancellationDate,
        Long cancellationReason, Boolean isTrialPeriod, Boolean isInIntroOfferPeriod, String promotionalOfferIdentifier,
        String webOrderLineItemId, String subscriptionGroupIdentifier, List<UnknownAttribute> unknown) {
        public Purchase { unknown = Json.frozen(unknown); }
    }

    /** An attribute of unknown meaning, kept so that no signed data is lost. */
    public record UnknownAttribute(long type, long version, String value) {}

    /** Returns a copy of all signed members under Apple's names, or null if the kind is receipt. */
    public JsonObject members() { return kind.equals("receipt") ? null : Json.parse(json, JsonObject.class).getAsJsonObject(kind); }

    /** Returns a signed member that is a date, for example {@code signedDate}, or null if there is none. */
    public Instant date(String member) {
        var members = members();
        var value = members == null ? null : members.get(member);
        return value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isNumber()
            ? null : Instant.ofEpochMilli((long) Math.floor(value.getAsDouble()));
    }
}
