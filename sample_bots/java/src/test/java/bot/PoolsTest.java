package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cheatarena.v1.ChallengePolicy;
import org.cheatarena.v1.PlayRequest;
import org.cheatarena.v1.PoolEntry;
import org.cheatarena.v1.PoolNotice;
import org.cheatarena.v1.PoolReason;
import org.junit.jupiter.api.Test;

class PoolsTest {
    /** Returns the settings of an environment with an address, a token and these variables. */
    private static Settings read(Map<String, String> variables) {
        var environment = new HashMap<>(Map.of("CHEATARENA_ADDRESS", "127.0.0.1:1", "CHEATARENA_TOKEN", "cat_x"));
        environment.putAll(variables);
        return Settings.fromEnvironment(environment);
    }

    private static void assertRefused(String variable, String value) {
        var error = assertThrows(IllegalArgumentException.class, () -> read(Map.of(variable, value)), value);
        assertTrue(error.getMessage().contains(variable), error.getMessage());
    }

    @Test
    void eachHelloEntersThePools() {
        var session = new Session(read(Map.of(
                "CHEATARENA_POOLS", "open, my dice:12,",
                "CHEATARENA_VERSION", "2.1",
                "CHEATARENA_CHALLENGES", "everybody")));
        for (var stream = 0; stream < 2; ++stream) {
            var request = PlayRequest.newBuilder();
            session.greet(request);
            var hello = request.getNotices(0).getHello();
            var open = PoolEntry.newBuilder().setPool("open").setSeats(1).build();
            var dice = PoolEntry.newBuilder().setPool("my dice").setSeats(12).build();
            assertEquals(List.of(open, dice), hello.getPoolsList());
            assertEquals("2.1", hello.getVersion());
            assertEquals(ChallengePolicy.CHALLENGE_POLICY_EVERYBODY, hello.getChallenges());
        }
    }

    @Test
    void withoutVariablesItEntersNoPool() {
        var settings = read(Map.of());
        assertEquals(List.of(), settings.pools());
        assertEquals("", settings.version());
        assertEquals(ChallengePolicy.CHALLENGE_POLICY_UNSPECIFIED, settings.challenges());
    }

    @Test
    void aBadValueIsRefusedWithItsVariable() {
        var longest = "p".repeat(32);
        for (var pools : List.of("open:many", "open:0", "open:1001", "open:+1", "open:", ":3", "a\tb", longest + "p")) {
            assertRefused("CHEATARENA_POOLS", pools);
        }
        assertRefused("CHEATARENA_POOLS", "p,".repeat(33));
        assertRefused("CHEATARENA_VERSION", longest + "p");
        assertRefused("CHEATARENA_VERSION", "a\tb");
        assertRefused("CHEATARENA_CHALLENGES", "friends");
    }

    @Test
    void theLongestValuesAreTaken() {
        var longest = "ö".repeat(32);
        var pools = longest + ":1000" + ",p".repeat(31);
        var settings = read(Map.of("CHEATARENA_POOLS", pools, "CHEATARENA_VERSION", longest));
        assertEquals(32, settings.pools().size());
    }

    @Test
    void aLineSaysHowManySeatsItGetsAndWhy() {
        var notice = PoolNotice.newBuilder().setPool("open");
        var entered = notice.clone().setSeats(3).setReason(PoolReason.POOL_REASON_ENTERED);
        var left = notice.setReason(PoolReason.POOL_REASON_LEFT).setDetail("the bot left");
        assertEquals("pool open: up to 3 seats at once", Pools.describe(entered.build()));
        assertEquals(
                "pool open: 0 seats, because the bot left; again in 30 s",
                Pools.describe(left.setRetryAfterMs(30_000).build()));
    }
}
