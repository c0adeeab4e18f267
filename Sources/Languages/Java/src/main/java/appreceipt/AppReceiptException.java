package appreceipt;

import java.util.List;

/** The base class of all errors. The code is for programs. */
@SuppressWarnings("serial")
public class AppReceiptException extends RuntimeException {
    private final String code;

    AppReceiptException(String code, String message) {
        super(code + ": " + message);
        this.code = code;
    }

    public String code() { return code; }

    /** Returns whether the same call may succeed later. */
    public boolean isTransient() { return code.equals("unavailable"); }

    /** An object is not genuine, or does not conform to the settings. */
    public static final class Refused extends AppReceiptException {
        private final transient Refusal refusal;

        Refused(Refusal refusal) {
            super(refusal.code(), refusal.detail());
            this.refusal = refusal;
        }

        public Refusal refusal() { return refusal; }
    }

    /** There are no verdicts, because evidence is refused or belongs to several apps or environments. */
    public static final class EvidenceRefused extends AppReceiptException {
        private final transient List<Verdicts.RefusedEvidence> refusals;

        EvidenceRefused(Refusal error, List<Verdicts.RefusedEvidence> refusals) {
            super(error.code(), error.message());
            this.refusals = refusals;
        }

        public List<Verdicts.RefusedEvidence> refusals() { return refusals; }
    }
}
