package appreceipt;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.Assume;
import org.junit.Test;

public class VerifierTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures", "../../../Fixtures"));
    private final byte[] receipt = fixture("receipts/never-subscribed.der");

    private static byte[] fixture(String path) {
        try {
            return Files.readAllBytes(FIXTURES.resolve(path));
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    private static Verifier.Settings any() { return new Verifier.Settings().bundleIds("any").environment("any"); }

    /** Returns settings that trust the authority of Fixtures. */
    private static Verifier.Settings trusting() { return any().roots(List.of(fixture("roots/root.cer"))); }

    private record Row(UnaryOperator<Verifier.Settings> change, String text) {}

    @Test
    public void invalidSettingsAreErrors() {
        for (var row : List.of(
            new Row(it -> new Verifier.Settings(), "bundle_ids"), new Row(it -> it.environment(), "must not be empty"),
            new Row(it -> it.environment("prod"), "environment"), new Row(it -> it.environment((String) null), "environment"),
            new Row(it -> it.deviceId(""), "device_id"), new Row(it -> it.appAppleIds(), "app_apple_id"),
            new Row(it -> it.roots(List.of()), "roots"), new Row(it -> it.roots(List.of("no".getBytes())), "roots[0]"),
            new Row(it -> it.limits(Map.of("checks", 1)), "checks"), new Row(it -> it.set("bundle_id", "a.b"), "bundle_id"))) {
            var error = assertThrows(AppReceiptException.class, () -> row.change().apply(any()).open());
            assertEquals("bad_settings", error.code());
            assertFalse(error.isTransient());
            assertTrue(error.getMessage(), error.getMessage().contains(row.text()));
        }
        assertThrows(NullPointerException.class, () -> any().deviceId(null));
    }

    @Test
    public void settingsApply() {
        for (var row : List.of(
            new Row(it -> it.bundleIds("com.example.other"), "wrong_bundle_id"),
            new Row(it -> it.environment("sandbox", "xcode"), "wrong_environment"),
            new Row(it -> it.distrust(Map.of("certificates", List.of(Map.of("serial", "7e570001")))), "revoked"),
            new Row(it -> it.deviceId("00".repeat(16)), "wrong_device"),
            new Row(it -> it.limits(Map.of("certificates", 2)), "too_large"))) {
            try (var verifier = row.change().apply(trusting()).open()) {
                var refused = assertThrows(AppReceiptException.Refused.class, () -> verifier.verify(receipt));
                assertEquals(row.text(), refused.code());
                assertEquals(row.text(), refused.refusal().code());
            }
        }
        try (var verifier = trusting().open()) {
            assertEquals("custom", verifier.verify(receipt).realm());
        }
    }

    @Test
    public void resultsAreImmutable() {
        try (var verifier = trusting().open()) {
            var object = verifier.verify(fixture("jws/transaction.jws"));
            assertThrows(UnsupportedOperationException.class, () -> object.signature().chain().clear());
            object.members().addProperty("productId", "other");
            assertEquals("com.example.tides.monthly", object.members().get("productId").getAsString());
            assertEquals(Instant.ofEpochMilli(1770019200250L), object.date("signedDate"));
            assertNull(object.date("productId"));
        }
    }

    @Test
    public void severalObjectsAreNotOne() {
        try (var verifier = trusting().open()) {
            var error = assertThrows(AppReceiptException.class, () -> verifier.verify(fixture("jws/history.json")));
            assertEquals("not_one_object", error.code());
        }
    }

    /** Checks an input for which Tests/Languages/counted.c returns APPRECEIPT_UNAVAILABLE. */
    @Test
    public void unavailableIsTransient() {
        Assume.assumeNotNull("COUNTS is not set; run Tests/Languages/run", System.getenv("COUNTS"));
        try (var verifier = trusting().open()) {
            var error = assertThrows(AppReceiptException.class, () -> verifier.verify("unavailable".getBytes()));
            assertEquals("unavailable", error.code());
            assertTrue(error.isTransient());
        }
    }

    @Test
    public void verifyReceiptIsAnswered() {
        try (var verifier = trusting().open()) {
            assertTrue(verifier.verifyReceiptAnswer("{\"receipt-data\": \"AA==\"}").contains("\"status\":21002"));
        }
    }

    /** Checks that calls in other threads end before a verifier is closed, and never use a closed one. */
    @Test
    public void closingWaitsForCalls() throws Exception {
        var executor = Executors.newFixedThreadPool(4);
        for (int round = 0; round < 20; round++) {
            var verifier = trusting().open();
            var began = new CountDownLatch(4);
            var calls = new ArrayList<Future<String>>();
            for (int worker = 0; worker < 4; worker++) {
                calls.add(executor.submit(() -> {
                    try {
                        for (verifier.verify(receipt), began.countDown(); ; ) verifier.verify(receipt);
                    } catch (AppReceiptException error) {
                        return error.code();
                    }
                }));
            }
            began.await();
            verifier.close();
            verifier.close();
            for (var call : calls) assertEquals("closed", call.get());
        }
        executor.shutdown();
    }

    /** Checks that the garbage collector closes verifiers. COUNTS is the file of Tests/Languages/counted.c. */
    @Test
    public void collectedVerifiersAreClosed() throws Exception {
        Assume.assumeNotNull("COUNTS is not set; run Tests/Languages/run", System.getenv("COUNTS"));
        for (int count = 0; count < 50; count++) any().open();
        for (int wait = 0; wait < 300; wait++) {
            System.gc();
            var counts = Files.readAllLines(Path.of(System.getenv("COUNTS")));
            if (counts.stream().filter("+v"::equals).count() == counts.stream().filter("-v"::equals).count()) return;
            Thread.sleep(100);
        }
        throw new AssertionError("verifiers remain open");
    }
}
