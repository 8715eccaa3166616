package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.InsecureChannelCredentials;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void onlyThisMachineIsLoopback() {
        assertTrue(
                List.of("localhost", "127.0.0.1", "127.1.2.3", "[::1]").stream().allMatch(Settings::isLoopback));
        assertFalse(
                List.of("arena.example", "10.0.0.1", "[2001:db8::1]").stream().anyMatch(Settings::isLoopback));
    }

    @Test
    void aUnixSocketIsAnAddress() {
        var environment = Map.of("CHEATARENA_ADDRESS", "unix:/run/arena.sock", "CHEATARENA_TOKEN", "t");
        var settings = Settings.fromEnvironment(environment);
        assertEquals("unix:/run/arena.sock", settings.address());
        assertInstanceOf(InsecureChannelCredentials.class, settings.credentials());
    }

    @Test
    void aBadAddressIsNamed() {
        var environment = Map.of("CHEATARENA_ADDRESS", "arena.example", "CHEATARENA_TOKEN", "t");
        var error = assertThrows(IllegalArgumentException.class, () -> Settings.fromEnvironment(environment));
        assertEquals("CHEATARENA_ADDRESS is \"arena.example\", expected host:port", error.getMessage());
    }

    @Test
    void whatAnEditorAddsToATokenIsStripped() {
        for (var token : List.of("cat_x\r\n", "\uFEFFcat_x", " cat_x\t", "\uFFFD\uFFFD\uFFFDcat_x")) {
            assertEquals("cat_x", read(token).token());
        }
        for (var token : List.of("cat_é", "cat_a b", "“cat_x”")) {
            var error = assertThrows(IllegalArgumentException.class, () -> read(token));
            assertTrue(error.getMessage().startsWith("CHEATARENA_TOKEN is not a token"));
        }
    }

    private static Settings read(String token) {
        return Settings.fromEnvironment(Map.of("CHEATARENA_ADDRESS", "127.0.0.1:1", "CHEATARENA_TOKEN", token));
    }
}
