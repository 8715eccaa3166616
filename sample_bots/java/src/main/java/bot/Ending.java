package bot;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Why a stream or the program ends.
 *
 * @param exit the exit code of the program; LOST if another stream may help
 * @param text one sentence for people
 * @param isOfArena whether the arena itself says so; anything else may pass once an arena has answered
 */
record Ending(int exit, String text, boolean isOfArena) {
    static final int LOST = -1;
    static final int REPLACED = 75;
    /** TLS libraries say a lot. */
    private static final int LONGEST_LINE = 400;

    /** What the TLS library and the HTTP/2 library say if a new attempt would end in the same way, and what it means. */
    private static final Map<String, String> HOPELESS = new LinkedHashMap<>();

    static {
        HOPELESS.put("CertificateExpired", "the server's certificate has expired, or this clock is wrong");
        HOPELESS.put("CertificateNotYetValid", "the server's certificate is not valid yet, or this clock is wrong");
        HOPELESS.put("PKIX path", "the authority of the server's certificate is not trusted: check CHEATARENA_CA");
        HOPELESS.put("No subject alternative", "the server's certificate is for another host name");
        HOPELESS.put("No name matching", "the server's certificate is for another host name");
        HOPELESS.put("CERTIFICATE_REQUIRED", "the server asks for a client certificate: set CHEATARENA_CERT and _KEY");
        HOPELESS.put("not an SSL/TLS record", "this bot speaks TLS, and the server plaintext");
        HOPELESS.put("First received frame was not SETTINGS", "this bot speaks plaintext, and the server does not");
    }

    /** An end after which another stream may help. */
    static Ending lost(String text) {
        return new Ending(LOST, text, false);
    }

    static Ending badSetting(String text) {
        return new Ending(64, text, false);
    }

    static Ending serverGone(String text) {
        return new Ending(69, text, false);
    }

    /** Returns the end of a stream of a server that speaks another version than this bot. */
    static OtherVersion otherVersion(int server, int own) {
        return new OtherVersion(
                "the server speaks version %d of the protocol, and this bot version %d".formatted(server, own));
    }

    /** A server speaks another version than this bot. */
    static final class OtherVersion extends RuntimeException {
        private static final long serialVersionUID = 1;

        private OtherVersion(String text) {
            super(text);
        }
    }

    static Ending ofError(Throwable error) {
        if (error instanceof OtherVersion) {
            return new Ending(76, error.getMessage(), true);
        }
        var status = Status.fromThrowable(error);
        var details = StatusProto.fromThrowable(error);
        if (details != null) {
            for (var detail : details.getDetailsList()) {
                try {
                    if (detail.is(ErrorInfo.class)) {
                        return ofReason(detail.unpack(ErrorInfo.class).getReason(), details.getMessage());
                    }
                } catch (InvalidProtocolBufferException unreadable) {
                    break; // the status says the rest
                }
            }
        }
        var texts = new StringJoiner(": ");
        texts.add(status.getDescription() == null ? status.getCode().name() : status.getDescription());
        for (var cause = status.getCause(); cause != null; cause = cause.getCause()) {
            texts.add(cause.toString());
        }
        var words = texts.toString().replaceAll("\\s+Channel Pipeline: \\[[^]]*]", "");
        return switch (status.getCode()) {
            case UNAUTHENTICATED -> new Ending(77, "the server refused the token: " + words, false);
            case PERMISSION_DENIED -> new Ending(77, "the token may not play: " + words, false);
            case UNIMPLEMENTED -> new Ending(76, "no arena answers: " + words, false);
            case FAILED_PRECONDITION -> new Ending(76, words, false);
            case INVALID_ARGUMENT -> new Ending(76, "the server refused what was sent: " + words, false);
            default ->
                HOPELESS.entrySet().stream()
                        .filter(each -> words.contains(each.getKey()))
                        .findFirst()
                        .map(each -> new Ending(76, each.getValue() + " (" + words + ")", false))
                        .orElseGet(() -> lost(words));
        };
    }

    private static Ending ofReason(String name, String detail) {
        var reason = name.replaceFirst("^ERROR_REASON_", "");
        return switch (reason) {
            case "UNAUTHENTICATED" -> new Ending(77, "the server refused the token: " + detail, true);
            case "TOKEN_REVOKED" -> new Ending(77, "the token was revoked: " + detail, true);
            case "TOKEN_EXPIRED" -> new Ending(77, "the token has expired: " + detail, true);
            case "SCOPE_MISSING" -> new Ending(77, "the token lacks the scope `play`: " + detail, true);
            case "SESSION_REPLACED" ->
                new Ending(REPLACED, "another process with this token and instance took over: " + detail, true);
            case "UNSUPPORTED_VERSION" ->
                new Ending(76, "the server speaks another version of the protocol: " + detail, true);
            case "HELLO_EXPECTED", "INVALID_ARGUMENT", "TOO_MANY_INVALID" ->
                new Ending(76, "the server refused what was sent: " + detail, true);
            default -> lost(reason + ": " + detail);
        };
    }

    /** Whether a connection was made, and closed before anything was said: perhaps the server speaks TLS. */
    boolean isMute() {
        return text.contains("Network closed for unknown reason");
    }

    static Ending noArena() {
        return new Ending(
                76,
                "what answers there closes the connection: it is no arena, only one side uses TLS,"
                        + " or it asks for a client certificate",
                false);
    }

    /** Whether a new stream would end in the same way. */
    boolean isFinal() {
        return exit != LOST;
    }

    Ending at(String address) {
        var line = (address + ": " + text).replaceAll("\\s*\\R\\s*", " ");
        return new Ending(exit, line.substring(0, Math.min(line.length(), LONGEST_LINE)), isOfArena);
    }
}
