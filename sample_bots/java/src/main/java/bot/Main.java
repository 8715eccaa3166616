package bot;

import java.util.logging.Level;
import java.util.logging.Logger;
import sun.misc.Signal;

/**
 * A bot for Cheat and CHEATER: settings come from the environment, and the bot plays until a signal stops it.
 *
 * <p>Exit codes: 0 after SIGTERM or SIGINT, 64 for a bad setting, 69 if the server is gone, 75 if a newer process took
 * over, 76 if the server or its TLS refuses the bot, 77 if the server refuses the token.
 */
public final class Main {
    /** The log of gRPC, which would print a stack trace where one line of this bot says what is wrong. */
    private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        GRPC_LOG.setLevel(Level.OFF);
        Ending ending;
        try {
            Runnable leave = () -> new Thread(() -> System.exit(0), "leave").start(); // runs the hook
            var line = new Line(Settings.fromEnvironment(System.getenv()), leave);
            var goodbye = new Thread(() -> {
                line.stop();
                Runtime.getRuntime().halt(0); // otherwise the exit code after a signal is not 0
            });
            Runtime.getRuntime().addShutdownHook(goodbye);
            Signal.handle(new Signal("INT"), interrupt -> {
                if (!line.finish()) {
                    leave.run();
                }
            });
            ending = line.run();
            if (line.isStopped()) {
                return; // the hook ends the process
            }
            Runtime.getRuntime().removeShutdownHook(goodbye);
        } catch (IllegalArgumentException error) {
            ending = Ending.badSetting(error.getMessage());
        }
        System.err.println(ending.text());
        System.exit(ending.exit());
    }
}
