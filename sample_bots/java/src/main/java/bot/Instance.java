package bot;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The name of this process among the programs of its bot. If nobody chose it, it derives from this machine, so that a
 * program that starts again finds its seats.
 */
final class Instance {
    private static final String GAMES = "cheat,cheater";

    private String name;
    /** Whether the server may still give this program another name. */
    private boolean isDerived;
    /** Whether nobody chose the name. */
    private boolean mayChange;

    Instance(String chosen, String version) {
        isDerived = mayChange = chosen.isEmpty();
        name = isDerived ? derive(version) : chosen;
    }

    String name() {
        return name;
    }

    boolean isDerived() {
        return isDerived;
    }

    /** Takes the name that the server gave, and returns whether it is another one. Older servers give none. */
    boolean settle(String given) {
        var isOther = mayChange && !given.isEmpty() && !given.equals(name);
        isDerived = false;
        if (isOther) {
            name = given;
        }
        return isOther;
    }

    /**
     * Takes a random name, once, because an older server lets another program replace this one. Returns false for a
     * name that must not change.
     */
    boolean giveWay() {
        var gives = mayChange;
        if (gives) {
            name = "%016x".formatted(ThreadLocalRandom.current().nextLong());
            isDerived = mayChange = false;
        }
        return gives;
    }

    private static String derive(String version) {
        try {
            var host = InetAddress.getLocalHost().getHostName();
            var machine = host.matches("[0-9a-f]{12}") ? "container" : host; // each container has another name
            var text = String.join("\n", machine, GAMES, version).getBytes(StandardCharsets.UTF_8);
            var digest = MessageDigest.getInstance("SHA-256").digest(text);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (UnknownHostException | NoSuchAlgorithmException error) {
            return "%016x".formatted(ThreadLocalRandom.current().nextLong());
        }
    }
}
