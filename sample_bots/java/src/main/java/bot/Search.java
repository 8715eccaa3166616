package bot;

import java.util.concurrent.ThreadLocalRandom;

/** Looks for a server while there is no stream. All times are in milliseconds. */
final class Search {
    private static final long FIRST_PAUSE = 100;
    private static final long LONGEST_PAUSE = 2_000;
    /** How long the bot keeps silent about a server that is gone. */
    private static final long QUIET_TIME = 2_000;
    /** So many connections in a row that end without a word mean that no arena listens there. */
    private static final int MOST_MUTE = 5;

    private final String address;
    private final long patience;
    private long began = now();
    private long pause = FIRST_PAUSE;
    private int muteCount;
    /** Whether a line has said that the bot is still trying. */
    private boolean isTold;
    /** Whether the server has answered on this stream, or ever. */
    private volatile boolean isOver;

    private boolean isKnown;

    Search(Settings settings) {
        address = settings.address();
        patience = settings.patience().toMillis();
    }

    /** Notes that the server has answered. */
    void end() {
        isOver = true;
    }

    /** Returns how a stream has ended: finally, if there is no point in another one. */
    Ending judge(Ending ending) {
        if (isOver) {
            isKnown = true;
            isOver = isTold = false;
            began = now();
            pause = FIRST_PAUSE;
        }
        muteCount = ending.isMute() ? muteCount + 1 : 0;
        if (!ending.isFinal() && !isKnown && muteCount == MOST_MUTE) {
            return Ending.noArena().at(address);
        }
        var mayPass = isKnown && !ending.isOfArena();
        var end = mayPass ? Ending.lost(ending.text()) : ending.at(address);
        var away = now() - began;
        if (end.isFinal()) {
            return end;
        }
        if (away >= patience) {
            return Ending.serverGone("no server at %s for %d s, so this bot gives up (%s)"
                    .formatted(address, patience / 1000, ending.text()));
        }
        var isJudgedSoon = !isKnown && muteCount > 0;
        if (!isTold && !isJudgedSoon && away >= QUIET_TIME) {
            isTold = true;
            System.err.printf(
                    "still trying %s (%s); giving up in %d s%n",
                    address, ending.text(), Math.round((patience - away) / 1000.0));
        }
        return end;
    }

    /** Returns how long to wait: a random time, so that bots do not all come back at the same moment. */
    long nextPause() {
        var random = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        return random;
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
