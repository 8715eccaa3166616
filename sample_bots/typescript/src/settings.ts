import { readFileSync } from "node:fs";
import type { SecureClientSessionOptions } from "node:http2";
import { isIP } from "node:net";
import { wrong } from "./failure.js";
import type { ChallengePolicy } from "./gen/cheatarena/v1/pool_pb.js";
import { Instance } from "./instance.js";
import { type PoolEntry, readChallenges, readPools, readVersion } from "./pools.js";

/** Where the bot plays and as whom. */
export interface Settings {
  address: string;
  /** The path of the Unix socket that the address names; undefined for host:port. */
  socketPath: string | undefined;
  token: string;
  instance: Instance;
  /** The certificates for TLS; undefined for plaintext. */
  tls: SecureClientSessionOptions | undefined;
  /** How long the bot looks for a server that is gone. */
  patienceMs: number;
  /** Continue from positions after a lost connection, not from snapshots. */
  resumesExactly: boolean;
  pools: PoolEntry[];
  /** Of this program, for ratings. */
  version: string;
  challenges: ChallengePolicy;
}

/** Reads the settings from the variables that the protocol guide lists. Throws a Failure for a bad one. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const address = env.CHEATARENA_ADDRESS ?? "";
  const token = (env.CHEATARENA_TOKEN ?? "").trim(); // of white space, and of a byte order mark
  const patience = env.CHEATARENA_PATIENCE || "30";
  const socketPath = /^unix:(\/.*)$/.exec(address)?.[1];
  const host = socketPath ? "localhost" : /^(\[[0-9a-f:.]+\]|[^\s:/]+):\d{1,5}$/i.exec(address)?.[1];
  if (!address) throw wrong("no server is named: set CHEATARENA_ADDRESS to host:port");
  if (!host) throw wrong(`CHEATARENA_ADDRESS is "${address}", expected host:port`);
  if (!token) throw wrong("there is no token: set CHEATARENA_TOKEN");
  if (!/^[!-~]+$/.test(token)) {
    throw wrong("CHEATARENA_TOKEN is not a token: expected cat_ and 46 letters and digits, copied completely");
  }
  if (!/^\d+$/.test(patience)) throw wrong(`CHEATARENA_PATIENCE is "${patience}", expected a number of seconds`);
  return {
    address,
    socketPath,
    token,
    instance: new Instance(env.CHEATARENA_INSTANCE ?? "", env.CHEATARENA_VERSION ?? ""),
    tls: readTls(host, env),
    patienceMs: Number(patience) * 1000,
    resumesExactly: env.CHEATARENA_RESUME === "exact",
    pools: readPools(env.CHEATARENA_POOLS ?? ""),
    version: readVersion(env.CHEATARENA_VERSION ?? ""),
    challenges: readChallenges(env.CHEATARENA_CHALLENGES || "own"),
  };
}

/** TLS, or plaintext on this machine or where CHEATARENA_INSECURE asks for it. */
function readTls(host: string, env: NodeJS.ProcessEnv): SecureClientSessionOptions | undefined {
  const { CHEATARENA_CA: ca, CHEATARENA_CERT: cert, CHEATARENA_KEY: key } = env;
  const isInsecure = env.CHEATARENA_INSECURE === "1";
  if (!cert !== !key) throw wrong("a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY");
  if (isInsecure && (ca || cert)) {
    throw wrong("CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing");
  }
  if (isInsecure || (!ca && isLoopback(host))) return undefined;
  return {
    minVersion: "TLSv1.2",
    ...(ca && { ca: readPem("CHEATARENA_CA", ca) }),
    ...(cert && { cert: readPem("CHEATARENA_CERT", cert) }),
    ...(key && { key: readPem("CHEATARENA_KEY", key) }),
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

function readPem(name: string, path: string): string {
  let pem = "";
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw wrong(`${name} cannot be read: ${(error as Error).message}`);
  }
  if (!pem.includes("-----BEGIN ")) throw wrong(`${name} names ${path}, which is not a PEM file`);
  return pem;
}
