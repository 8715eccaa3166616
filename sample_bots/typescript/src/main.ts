/**
 * This bot plays Cheat and CHEATER with generated messages and Connect's gRPC transport alone.
 *
 * In Cheat it lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true
 * (cheat.ts). In CHEATER it collects its nearest word, and takes missing letters wherever it finds them (cheater.ts).
 * session.ts and seat.ts are the protocol, and line.ts carries its frames. A bot of your own needs only other answers.
 */
import { ExitCode, Failure } from "./failure.js";
import { Line } from "./line.js";
import { readSettings } from "./settings.js";

// Connect leaves some errors of a connection without a listener. Its stream fails too, and the session acts on that.
process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  if (error.code?.startsWith("ERR_HTTP2_")) return;
  console.error(error);
  process.exit(ExitCode.Software);
});

try {
  const line = new Line(readSettings(process.env));
  process.on("SIGTERM", () => line.stop());
  process.on("SIGINT", () => line.finish() || line.stop());
  await line.run();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Failure ? error.message : error);
  process.exit(error instanceof Failure ? error.exitCode : ExitCode.Software);
}
