package appreceipt;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Assume;
import org.junit.Test;

/** Writes the answers to the cases of Tests/Languages/run, which compares them. */
public class ConformanceTest {
    record Options(
        List<String> bundle_ids, List<String> environment, List<String> roots, List<String> storekit_test_roots,
        Map<String, String> policies) {}
    record Case(
        Options settings, String input, List<String> evidence, List<String> renewals, List<String> unsigned,
        List<String> products, String as_of, String catalog, Boolean single_group, String refused_evidence) {}

    @Test
    public void cases() throws IOException {
        Assume.assumeNotNull("CASES is not set; run Tests/Languages/run", System.getenv("CASES"));
        var lines = new ArrayList<String>();
        for (var line : Files.readAllLines(Path.of(System.getenv("CASES")))) {
            var given = new Gson().fromJson(line, Case.class);
            var settings = new Verifier.Settings().bundleIds(given.settings().bundle_ids().toArray(String[]::new))
                .environment(given.settings().environment().toArray(String[]::new));
            if (given.settings().roots() != null) settings.roots(bytes(given.settings().roots()));
            if (given.settings().storekit_test_roots() != null) {
                settings.storekitTestRoots(bytes(given.settings().storekit_test_roots()));
            }
            if (given.settings().policies() != null) settings.policies(given.settings().policies());
            try (var verifier = settings.open()) {
                lines.add((given.input() != null ? verified(verifier, given.input()) : determined(verifier, given)).toString());
            }
        }
        Files.write(Path.of(System.getenv("ANSWERS")), lines);
    }

    private static JsonObject verified(Verifier verifier, String path) {
        var data = read(path);
        var made = new JsonObject();
        made.addProperty("answer", verifier.answer(data));
        var results = new JsonArray();
        verifier.verifyAll(data).forEach(each -> results.add(plain(each)));
        made.add("results", results);
        try {
            made.add("one", plain(verifier.verify(data)));
        } catch (AppReceiptException.Refused refused) {
            made.add("one", plain(refused.refusal()));
        } catch (AppReceiptException error) {
            made.add("one", plain(new Refusal(error.code(), "", null, null, null, null, null)));
        }
        return made;
    }

    private static JsonObject determined(Verifier verifier, Case given) {
        var question = new Verifier.Question(given.evidence().stream().map(ConformanceTest::read).toList());
        if (given.renewals() != null) question.renewalInfo(given.renewals().stream().map(ConformanceTest::read).toList());
        if (given.unsigned() != null) question.set("unsigned_renewal_info", given.unsigned());
        if (given.products() != null) question.products(given.products().toArray(String[]::new));
        if (given.as_of() != null) question.asOf(Instant.parse(given.as_of()));
        if (given.catalog() != null) question.catalog(new String(read(given.catalog()), StandardCharsets.UTF_8));
        if (given.single_group() != null) question.singleGroup(given.single_group());
        if (given.refused_evidence() != null) question.refusedEvidence(given.refused_evidence());
        var made = new JsonObject();
        try {
            var found = verifier.eligibility(question);
            made.addProperty("answer", found.json());
            made.add("verdicts", tree(found.verdicts()));
            made.add("refusals", tree(found.refusals()));
        } catch (AppReceiptException.EvidenceRefused error) {
            made.add("error", tree(Map.of("code", error.code())));
            made.add("refusals", tree(error.refusals()));
        }
        return made;
    }

    /** Returns the members of the contract. */
    private static JsonObject plain(Result result) {
        var made = tree(result).getAsJsonObject();
        if (result instanceof SignedObject object && object.members() != null) made.add(object.kind(), object.members());
        if (!(result instanceof Refusal)) return made;
        var refused = new JsonObject();
        for (var name : List.of("path", "sha256", "format")) refused.add(name, made.remove(name));
        refused.add("refusal", made);
        return refused;
    }

    private static JsonElement tree(Object value) { return JsonParser.parseString(Json.text(value)); }

    private static List<byte[]> bytes(List<String> texts) {
        return texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    }

    private static byte[] read(String path) {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
