package bot;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.cheatarena.v1.ChallengePolicy;
import org.cheatarena.v1.PoolEntry;
import org.cheatarena.v1.PoolNotice;
import org.cheatarena.v1.PoolReason;

/**
 * What a Hello says so that the server seats the bot, and what the server answers. Methods that read a bad value throw an
 * IllegalArgumentException with one sentence for people.
 */
final class Pools {
    private static final int MOST_POOLS = 32;
    /** That a bot may want in one pool. */
    private static final int MOST_SEATS = 1000;
    /** Characters of a pool's name, and of a version. */
    private static final int LONGEST_NAME = 32;

    private static final Pattern PRINTABLE = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]*");
    private static final Pattern ENTRY = Pattern.compile("([^:]+)(?::([0-9]{1,4}))?");

    /** Whose challenges a bot accepts, by the word in CHEATARENA_CHALLENGES. */
    private static final Map<String, ChallengePolicy> POLICIES = Map.of(
            "own", ChallengePolicy.CHALLENGE_POLICY_UNSPECIFIED,
            "nobody", ChallengePolicy.CHALLENGE_POLICY_NOBODY,
            "everybody", ChallengePolicy.CHALLENGE_POLICY_EVERYBODY);

    private Pools() {}

    /** Returns the pools in a text such as `standard,cheater:3`, where the bot wants one seat and three. */
    static List<PoolEntry> parsePools(String text) {
        var parts = Arrays.stream(text.split(",")).map(String::strip).filter(part -> !part.isEmpty());
        var pools = parts.map(Pools::parsePool).toList();
        if (pools.size() > MOST_POOLS) {
            throw bad("CHEATARENA_POOLS names %d pools, expected at most %d".formatted(pools.size(), MOST_POOLS));
        }
        return pools;
    }

    private static PoolEntry parsePool(String part) {
        var match = ENTRY.matcher(part);
        if (match.matches()) {
            var name = match.group(1).strip();
            var seats = match.group(2) == null ? 1 : Integer.parseInt(match.group(2));
            if (!name.isEmpty() && isShortText(name) && seats >= 1 && seats <= MOST_SEATS) {
                return PoolEntry.newBuilder().setPool(name).setSeats(seats).build();
            }
        }
        throw bad(("CHEATARENA_POOLS has \"%s\", expected NAME or NAME:SEATS, with a name of at most %d printable "
                        + "characters and 1 to %d seats")
                .formatted(part, LONGEST_NAME, MOST_SEATS));
    }

    static String parseVersion(String text) {
        if (!isShortText(text)) {
            throw bad("CHEATARENA_VERSION has to be at most %d printable characters".formatted(LONGEST_NAME));
        }
        return text;
    }

    static ChallengePolicy parseChallenges(String word) {
        if (!POLICIES.containsKey(word)) {
            throw bad("CHEATARENA_CHALLENGES is \"" + word + "\", expected own, nobody or everybody");
        }
        return POLICIES.get(word);
    }

    private static boolean isShortText(String text) {
        return PRINTABLE.matcher(text).matches() && text.codePointCount(0, text.length()) <= LONGEST_NAME;
    }

    private static IllegalArgumentException bad(String text) {
        return new IllegalArgumentException(text);
    }

    /** Says in one line how many seats the bot gets in a pool, and why. */
    static String describe(PoolNotice notice) {
        var seats = notice.getSeats() == 1 ? "1 seat" : notice.getSeats() + " seats";
        if (notice.getReason() == PoolReason.POOL_REASON_ENTERED) {
            return "pool %s: up to %s at once".formatted(notice.getPool(), seats);
        }
        var seconds = notice.getRetryAfterMs() / 1000.0;
        var again = seconds > 0 ? "; again in %.0f s".formatted(seconds) : "";
        return "pool %s: %s, because %s%s".formatted(notice.getPool(), seats, notice.getDetail(), again);
    }
}
