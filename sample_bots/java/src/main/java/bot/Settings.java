package bot;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.cheatarena.v1.ChallengePolicy;
import org.cheatarena.v1.PoolEntry;

/**
 * Settings from the environment.
 *
 * @param patience for how long to dial a server that is gone
 * @param isExact whether to resume from positions; otherwise from snapshots
 * @param version of this program, for ratings
 */
record Settings(
        String address,
        String token,
        Instance instance,
        ChannelCredentials credentials,
        Duration patience,
        boolean isExact,
        List<PoolEntry> pools,
        String version,
        ChallengePolicy challenges) {
    private static final Pattern ADDRESS = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:/\\s\\[\\]]+):([0-9]{1,5})");
    /** What editors add to a token: white space, and a byte order mark, also as Java reads it without a UTF-8 locale. */
    private static final Pattern BLANKS = Pattern.compile(
            "^(\\uFEFF|\\uFFFD{2,3}|\\u00EF\\u00BB\\u00BF|\\s)+|\\s+$", Pattern.UNICODE_CHARACTER_CLASS);

    private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1]");

    /**
     * Reads the variables of the protocol guide, and CHEATARENA_PATIENCE (seconds).
     *
     * @throws IllegalArgumentException with one sentence for people
     */
    static Settings fromEnvironment(Map<String, String> environment) {
        var address = variable(environment, "ADDRESS")
                .orElseThrow(() -> bad("no server is named: set CHEATARENA_ADDRESS to host:port"));
        var host =
                hostOf(address).orElseThrow(() -> bad("CHEATARENA_ADDRESS is \"" + address + "\", expected host:port"));
        var token = variable(environment, "TOKEN")
                .map(text -> BLANKS.matcher(text).replaceAll(""))
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> bad("there is no token: set CHEATARENA_TOKEN"));
        if (!token.matches("[!-~]+")) {
            throw bad("CHEATARENA_TOKEN is not a token: expected cat_ and 46 letters and digits, copied completely");
        }
        var patience = variable(environment, "PATIENCE").orElse("30");
        if (!patience.matches("[0-9]{1,6}")) {
            throw bad("CHEATARENA_PATIENCE is \"" + patience + "\", expected seconds");
        }
        var resume = variable(environment, "RESUME");
        if (resume.isPresent() && !resume.get().equals("exact")) {
            throw bad("CHEATARENA_RESUME may only be `exact`");
        }
        var version = Pools.parseVersion(variable(environment, "VERSION").orElse(""));
        return new Settings(
                address,
                token,
                new Instance(variable(environment, "INSTANCE").orElse(""), version),
                credentials(environment, isLoopback(host)),
                Duration.ofSeconds(Long.parseLong(patience)),
                resume.isPresent(),
                Pools.parsePools(variable(environment, "POOLS").orElse("")),
                version,
                Pools.parseChallenges(variable(environment, "CHALLENGES").orElse("own")));
    }

    /** Returns the host of host:port, and this machine for the absolute path of a Unix socket. */
    private static Optional<String> hostOf(String address) {
        if (address.startsWith("unix:/")) {
            return Optional.of("localhost");
        }
        var parts = ADDRESS.matcher(address);
        var isAddress = parts.matches() && Integer.parseInt(parts.group(2)) <= 65535;
        return isAddress ? Optional.of(parts.group(1)) : Optional.empty();
    }

    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }

    private static ChannelCredentials credentials(Map<String, String> environment, boolean isLoopback) {
        var ca = pem(environment, "CA");
        var certificate = pem(environment, "CERT");
        var key = pem(environment, "KEY");
        var isInsecure = variable(environment, "INSECURE").filter("1"::equals).isPresent();
        if (certificate.isPresent() != key.isPresent()) {
            throw bad("a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY");
        }
        if (isInsecure && (ca.isPresent() || certificate.isPresent())) {
            throw bad("CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing");
        }
        if (isInsecure || isLoopback && ca.isEmpty()) {
            return InsecureChannelCredentials.create();
        }
        try {
            var tls = TlsChannelCredentials.newBuilder();
            if (ca.isPresent()) {
                tls.trustManager(ca.get());
            }
            if (certificate.isPresent()) {
                tls.keyManager(certificate.get(), key.orElseThrow());
            }
            return tls.build();
        } catch (IOException error) {
            throw bad("TLS cannot be used: " + error.getMessage());
        }
    }

    private static Optional<File> pem(Map<String, String> environment, String name) {
        var path = variable(environment, name).map(Path::of);
        try {
            if (path.isPresent() && !Files.readString(path.get()).contains("-----BEGIN ")) {
                throw bad("CHEATARENA_%s names %s, which is not a PEM file".formatted(name, path.get()));
            }
        } catch (IOException error) {
            throw bad("CHEATARENA_%s names %s, which cannot be read".formatted(name, path.get()));
        }
        return path.map(Path::toFile);
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get("CHEATARENA_" + name)).filter(value -> !value.isEmpty());
    }

    private static IllegalArgumentException bad(String text) {
        return new IllegalArgumentException(text);
    }
}
