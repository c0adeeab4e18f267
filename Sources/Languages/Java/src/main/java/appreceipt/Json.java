package appreceipt;

import com.google.gson.*;
import java.nio.ByteBuffer;
import java.nio.charset.*;
import java.time.Instant;
import java.util.*;

/** Conversion between the contract's JSON and Java's types. */
final class Json {
    private static final Gson GSON = new GsonBuilder()
        .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
        .setObjectToNumberStrategy(ToNumberPolicy.LAZILY_PARSED_NUMBER)
        .serializeNulls()
        .registerTypeAdapter(Instant.class, (JsonDeserializer<Instant>) (text, type, context) -> Instant.parse(text.getAsString()))
        .registerTypeAdapter(Instant.class, (JsonSerializer<Instant>) (date, type, context) -> new JsonPrimitive(date.toString()))
        .create();

    private Json() {}

    static <T> T parse(String text, Class<T> type) { return GSON.fromJson(text, type); }

    static String text(Object value) { return GSON.toJson(value); }

    static <T> List<T> frozen(List<T> list) { return list == null ? List.of() : List.copyOf(list); }

    /** Returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes. */
    static List<String> texts(List<byte[]> inputs) {
        return inputs.stream().map(input -> {
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(input)).toString();
            } catch (CharacterCodingException notText) {
                return Base64.getEncoder().encodeToString(input);
            }
        }).toList();
    }

    private record Line(String source, String sha256, String status, String format, String kind, Refusal refusal) {}

    /** Returns the results in an answer. */
    static List<Result> results(String answer) {
        return lines(answer).stream().map(text -> {
            var line = parse(text, Line.class);
            var path = line.source().length() > 2 ? line.source().substring(2) : null;
            var refusal = line.refusal();
            if (refusal != null) {
                return (Result) new Refusal(
                    refusal.code(), refusal.message(), refusal.offset(), refusal.field(), path, line.sha256(), line.format());
            }
            var it = parse(text, SignedObject.class);
            return new SignedObject(
                it.kind() == null ? "receipt" : it.kind(), it.format(), it.sha256(), it.contentSha256(), it.realm(),
                it.environment(), it.signature(), it.revocation(), it.receipt(), it.inApp(), it.caveats(), path, text);
        }).toList();
    }

    /** Returns the text of each result in an answer. */
    private static List<String> lines(String answer) {
        var lines = new ArrayList<String>();
        int depth = 0, start = 0;
        var isInString = false;
        for (int place = 0; place < answer.length(); place++) {
            switch (answer.charAt(place)) {
                case '\\' -> place++;
                case '"' -> isInString = !isInString;
                case '{' -> { if (!isInString && ++depth == 2) start = place; }
                case '}' -> { if (!isInString && --depth == 1) lines.add(answer.substring(start, place + 1)); }
                default -> { }
            }
        }
        return lines;
    }
}
