package bot;

/**
 * Notices a line that is dead one way: frames come, but no answers to what this bot has sent. It goes by the server's
 * clock, so that neither a pause of this process nor a stall of the server counts. All times are in microseconds.
 */
final class Watch {
    static final long NEVER = Long.MAX_VALUE;
    /** How long a decision may wait for its answer. */
    private static final long ANSWER_TIME = 10_000_000;
    /** Between two frames that lack it. */
    private static final long CONFIRM_TIME = 1_000_000;

    /** The smallest difference between this machine's clock and the server's. */
    private long offset = NEVER;
    /** When a frame first lacked an answer. */
    private long late = NEVER;

    /**
     * Notes a frame of an instant, and when the oldest decision without an answer was sent. Returns false if nothing of
     * what this bot sends arrives.
     */
    boolean hear(long now, long oldest) {
        offset = Math.min(offset, System.nanoTime() / 1000 - now);
        if (oldest > now - ANSWER_TIME) {
            late = NEVER;
        } else if (late == NEVER) {
            late = now;
        }
        return late == NEVER || now - late < CONFIRM_TIME;
    }

    /** Returns the instant on the server's clock. */
    long now() {
        return System.nanoTime() / 1000 - offset;
    }
}
