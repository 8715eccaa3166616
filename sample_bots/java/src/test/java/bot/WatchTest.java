package bot;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WatchTest {
    private static final long SECOND = 1_000_000;

    @Test
    void aLineThatIsDeadOneWayIsNoticedByTheFrames() {
        var watch = new Watch();
        for (var now : new long[] {3 * SECOND, 9 * SECOND, 10 * SECOND, 11 * SECOND - 1}) {
            assertTrue(watch.hear(now, 0));
        }
        assertFalse(watch.hear(11 * SECOND, 0));
    }

    @Test
    void aStallOfTheServerIsNoDeadLine() {
        var watch = new Watch();
        assertTrue(watch.hear(30 * SECOND, 0));
        assertTrue(watch.hear(30 * SECOND + 1, Watch.NEVER)); // the answer comes in the next frame
        assertTrue(watch.hear(50 * SECOND, 31 * SECOND));
        assertTrue(watch.hear(70 * SECOND, 65 * SECOND));
    }
}
