package appreceipt;

/** The reason why an object is not genuine, or does not conform to the settings. Unknown values are null. */
public record Refusal(
    String code, String message, Long offset, String field, String path, String sha256, String format) implements Result {

    /** Returns the message with the place of the error. */
    public String detail() {
        return message + (offset == null ? "" : " at byte " + offset) + (field == null ? "" : " (" + field + ")");
    }
}
