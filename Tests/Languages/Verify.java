// Verifies a file: java -cp /usr/share/java/jna.jar:/usr/share/java/gson.jar Verify.java FILE SETTINGS
import com.google.gson.Gson;
import com.sun.jna.*;
import com.sun.jna.ptr.*;
import java.nio.file.*;

public class Verify implements AutoCloseable {
    public interface AppReceipt extends Library {
        int appreceipt_open(byte[] settings, NativeLong length, PointerByReference handle, PointerByReference answer,
                            NativeLongByReference size);
        int appreceipt_verify(Pointer handle, byte[] input, NativeLong length, PointerByReference answer,
                              NativeLongByReference size);
        void appreceipt_close(Pointer handle);
        void appreceipt_free(Pointer answer);
    }

    static final AppReceipt LIBRARY = Native.load("libappreceipt.so.0", AppReceipt.class);
    record Purchase(String product_id) {}
    record Receipt(String bundle_id, Purchase[] in_app) {}
    record Refusal(String code) {}
    record Result(String status, Receipt receipt, Refusal refusal) {}
    record Answer(Result[] results) {}
    private final Pointer handle;

    public Verify(byte[] settings) {
        var opened = new PointerByReference();
        var answer = new PointerByReference();
        taken(answer, LIBRARY.appreceipt_open(
            settings, new NativeLong(settings.length), opened, answer, new NativeLongByReference()));
        handle = opened.getValue();
    }

    public Answer verify(byte[] input) {
        var answer = new PointerByReference();
        return new Gson().fromJson(taken(answer, LIBRARY.appreceipt_verify(
            handle, input, new NativeLong(input.length), answer, new NativeLongByReference())), Answer.class);
    }

    public void close() { LIBRARY.appreceipt_close(handle); }
    /** Returns the answer's text. Throws an exception if nothing was verified, which a code above 1 indicates. */
    private static String taken(PointerByReference answer, int code) {
        var text = answer.getValue() == null ? "" : answer.getValue().getString(0, "UTF-8");
        LIBRARY.appreceipt_free(answer.getValue());
        if (code > 1) throw new IllegalArgumentException("not judged: " + text);
        return text;
    }

    public static void main(String[] words) throws java.io.IOException {
        try (var verifier = new Verify(words[1].getBytes("UTF-8"))) {
            for (var each : verifier.verify(Files.readAllBytes(Path.of(words[0]))).results()) {
                System.out.println(each.status() + " " + (each.receipt() == null ? "" : each.receipt().bundle_id())
                    + (each.refusal() == null ? "" : each.refusal().code()));
                if (each.receipt() == null) continue;
                for (var purchase : each.receipt().in_app()) System.out.println("  " + purchase.product_id());
            }
        }
    }
}
