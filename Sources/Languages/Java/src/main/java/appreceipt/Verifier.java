package appreceipt;

import com.google.gson.JsonParser;
import com.sun.jna.*;
import com.sun.jna.ptr.*;
import java.lang.ref.*;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Verifies App Store receipts and signed transactions offline, in the process, with libappreceipt. Any thread may use it. */
public final class Verifier implements AutoCloseable {
    private static final NativeLibrary LIBRARY = NativeLibrary.getInstance("libappreceipt.so.0");
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int OK = 0, REFUSED = 1, BAD_REQUEST = 2;

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Cleaner.Cleanable cleanable;
    private Pointer handle;

    /** The settings of a verifier, or the options of a question, by their names in appreceipt.h. */
    private abstract static class Options<T> {
        final Map<String, Object> members = new HashMap<>();
        private String catalog;

        /** Sets any option. */
        @SuppressWarnings("unchecked")
        public T set(String name, Object value) {
            if (value == null) throw new NullPointerException(name + ": leave it out, or name the accepted values");
            members.put(name, value);
            return (T) this;
        }

        /** Sets the catalog, as JSON. */
        @SuppressWarnings("unchecked")
        public T catalog(String json) {
            JsonParser.parseString(json);
            catalog = json;
            return (T) this;
        }

        /** Returns JSON. The catalog is inserted unparsed, so that the library refuses duplicate members. */
        byte[] json() {
            var text = Json.text(members);
            if (catalog != null) {
                text = text.substring(0, text.length() - 1) + (members.isEmpty() ? "" : ",") + "\"catalog\":" + catalog + "}";
            }
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** The settings of a verifier. The apps and environments are required, so that no missing setting removes a check. */
    public static final class Settings extends Options<Settings> {
        /** Names the accepted apps, or "any". */
        public Settings bundleIds(String... ids) { return set("bundle_ids", ids); }

        /** Names the accepted environments: "production", "sandbox", "xcode", or "any". */
        public Settings environment(String... names) { return set("environment", names); }

        public Settings appAppleIds(long... ids) { return set("app_apple_id", ids); }
        public Settings deviceId(String hexadecimal) { return set("device_id", hexadecimal); }
        public Settings crossCheck(boolean isOn) { return set("cross_check", isOn); }
        public Settings sha1Signatures(String policy) { return set("sha1_signatures", policy); }

        /** Checks the certificates with revocation lists in DER or PEM. */
        public Settings crl(List<byte[]> lists) { return set("crl", Json.texts(lists)); }

        /** Refuses objects of the certificates in this list. */
        public Settings distrust(Map<String, Object> list) { return set("distrust", list); }

        /** Names the policy: "off", "check" or "require". */
        public Settings revocation(String policy) { return set("revocation", policy); }

        public Settings limits(Map<String, Integer> limits) { return set("limits", limits); }
        public Settings policies(Map<String, String> policies) { return set("policies", policies); }
        public Settings verifyReceipt(Map<String, String> settings) { return set("verify_receipt", settings); }

        /** Replaces Apple's roots by certificates in DER or PEM. */
        public Settings roots(List<byte[]> certificates) { return set("roots", Json.texts(certificates)); }
        public Settings storekitTestRoots(List<byte[]> certificates) { return set("storekit_test_roots", Json.texts(certificates)); }

        /** Creates the verifier. Throws AppReceiptException if a setting is missing or invalid. */
        public Verifier open() { return new Verifier(json()); }
    }

    /** A question about one customer's offers, with all of the customer's evidence: inputs of verify. */
    public static final class Question extends Options<Question> {
        public Question(List<byte[]> evidence) { set("evidence", Json.texts(evidence)); }

        public Question renewalInfo(List<byte[]> signed) { return set("renewal_info", Json.texts(signed)); }
        public Question products(String... ids) { return set("products", ids); }
        public Question asOf(Instant date) { return set("as_of", date); }
        public Question singleGroup(boolean isOne) { return set("single_group", isOne); }
        /** Sets "error", the default, or "caveat". */
        public Question refusedEvidence(String treatment) { return set("refused_evidence", treatment); }
    }

    private record Failure(Refusal error) {}

    private Verifier(byte[] settings) {
        var opened = new PointerByReference();
        answer("appreceipt_open", settings, new NativeLong(settings.length), opened);
        var pointer = opened.getValue();
        handle = pointer;
        cleanable = CLEANER.register(this, () -> function("appreceipt_close").invokeVoid(new Object[] {pointer}));
    }

    /** Returns the version of the library. */
    public static String version() { return function("appreceipt_version").invokeString(new Object[0], false); }

    /** Releases the verifier's resources after calls in other threads end. Later calls throw an exception with the code "closed". */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            handle = null;
            cleanable.clean();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Verifies one signed object: a receipt (DER, base64 or PEM), a compact JWS or a transaction receipt.
     *
     * @throws AppReceiptException.Refused if it is not genuine or does not conform to the settings
     * @throws AppReceiptException with the code "not_one_object" unless there is exactly one
     */
    public SignedObject verify(byte[] data) {
        var results = verifyAll(data);
        if (results.size() != 1) {
            throw new AppReceiptException("not_one_object", results.size() + " signed objects, expected one; use verifyAll");
        }
        if (results.get(0) instanceof Refusal refusal) throw new AppReceiptException.Refused(refusal);
        return (SignedObject) results.get(0);
    }

    /** Returns the result of every signed object of the data, in order. */
    public List<Result> verifyAll(byte[] data) { return Json.results(answer(data)); }

    /** Returns the library's JSON answer: "results", each of which is a line of {@code appreceipt verify --json}. */
    public String answer(byte[] data) { return call("appreceipt_verify", data); }

    /** Determines the subscription offers that one customer can still get.
     *
     * @throws AppReceiptException.EvidenceRefused if evidence is refused or belongs to several apps or environments
     */
    public Verdicts eligibility(Question question) {
        var text = call("appreceipt_eligibility", question.json());
        var parsed = Json.parse(text, Verdicts.class);
        if (parsed.verdicts() == null) {
            throw new AppReceiptException.EvidenceRefused(Json.parse(text, Failure.class).error(), Json.frozen(parsed.refusals()));
        }
        return new Verdicts(Json.frozen(parsed.verdicts()), Json.frozen(parsed.refusals()), text);
    }

    /** Returns the answer of Apple's verifyReceipt to a request's body, as JSON. */
    public String verifyReceiptAnswer(String body) {
        return call("appreceipt_verify_receipt_answer", body.getBytes(StandardCharsets.UTF_8));
    }

    private String call(String name, byte[] input) {
        lock.readLock().lock();
        try {
            if (handle == null) throw new AppReceiptException("closed", "verifier: closed");
            // A copy, because JNA writes the array back after the call.
            return answer(name, handle, input.clone(), new NativeLong(input.length));
        } finally {
            lock.readLock().unlock();
            Reference.reachabilityFence(this);
        }
    }

    private static Function function(String name) { return LIBRARY.getFunction(name); }

    /** Returns the answer of a call. Throws an exception if nothing was verified. */
    private static String answer(String name, Object... arguments) {
        var answer = new PointerByReference();
        var size = new NativeLongByReference();
        var all = Arrays.copyOf(arguments, arguments.length + 2, Object[].class);
        all[arguments.length] = answer;
        all[arguments.length + 1] = size;
        try {
            int code = function(name).invokeInt(all);
            var bytes = answer.getValue() == null
                ? new byte[0] : answer.getValue().getByteArray(0, Math.toIntExact(size.getValue().longValue()));
            var text = new String(bytes, StandardCharsets.UTF_8);
            if (code == OK || code == REFUSED) return text;
            if (code != BAD_REQUEST) {
                throw new AppReceiptException("unavailable", "out of memory, or OpenSSL failed; nothing was verified");
            }
            if (text.isEmpty()) throw new AppReceiptException("bad_request", "request not understood");
            var error = Json.parse(text, Failure.class).error();
            throw new AppReceiptException(error.code(), error.message());
        } finally {
            function("appreceipt_free").invokeVoid(new Object[] {answer.getValue()});
        }
    }
}
