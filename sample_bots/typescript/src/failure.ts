import { Code, type ConnectError } from "@connectrpc/connect";
import { ErrorReason } from "./gen/cheatarena/v1/error_reason_pb.js";
import type { Farewell } from "./gen/cheatarena/v1/session_pb.js";
import { PROTOCOL_VERSION } from "./session.js";

/** Exit codes, as of the Python package. */
export enum ExitCode {
  /** A setting is missing or invalid. */
  Usage = 64,
  /** The server is gone. */
  Unavailable = 69,
  /** Anything else. */
  Software = 70,
  /** A newer process took over. */
  Replaced = 75,
  /** The server refuses the program, or no arena answers there. */
  Refused = 76,
  /** The server refuses the token. */
  TokenRefused = 77,
}

/** Ends the program, because connecting again would not help. The message is one sentence for people. */
export class Failure extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the failure of a bad setting. */
export function wrong(text: string): Failure {
  return new Failure(ExitCode.Usage, text);
}

type Ending = [ExitCode, string];

/** Reasons of a farewell after which a new stream would end in the same way. */
const finalReasons = new Map<ErrorReason, Ending>([
  [ErrorReason.TOKEN_REVOKED, [ExitCode.TokenRefused, "the token was revoked"]],
  [ErrorReason.TOKEN_EXPIRED, [ExitCode.TokenRefused, "the token has expired"]],
  [ErrorReason.SESSION_REPLACED, [ExitCode.Replaced, "another process with the same token and instance took over"]],
  [ErrorReason.TOO_MANY_INVALID, [ExitCode.Refused, "the server could not read what this bot sent"]],
]);

/**
 * Statuses of a stream that the server did not begin, or that ended without a farewell. Aborted is not among them: Connect
 * also gives this status to a connection that was reset. Once an arena has answered, something on the way to it may give
 * such a status, but only the arena gives it details.
 */
const finalCodes = new Map<Code, Ending>([
  [Code.Unauthenticated, [ExitCode.TokenRefused, "the server refused the token"]],
  [Code.PermissionDenied, [ExitCode.TokenRefused, "the token may not play"]],
  [Code.FailedPrecondition, [ExitCode.Refused, "the server refuses this bot, for example because of its version"]],
  [Code.InvalidArgument, [ExitCode.Refused, "the server could not read what this bot sent"]],
  [Code.Unimplemented, [ExitCode.Refused, "what answers is not an arena"]],
]);

/**
 * What Node and OpenSSL say if no connection can be made, and waiting would not help. Once an arena has answered, the
 * same texts are signs of a line that was cut.
 */
const firstTexts: [RegExp, string][] = [
  [/certificate|self-signed|altnames|wrong version number|EPROTO|ERR_SSL|ERR_TLS/i, "no secure connection can be made"],
  [
    /protocol error|error code CANCEL/i,
    "what answers there closes the connection: it is no arena, only one side uses TLS, or it asks for a client certificate",
  ],
];

/** Returns in one line what Connect says; the texts of OpenSSL have several. */
export function describe(error: ConnectError): string {
  return error.rawMessage.replaceAll(/\s+/g, " ").trim();
}

export function otherVersion(version: number): Failure {
  const text = `the server speaks version ${version} of the protocol, and this bot version ${PROTOCOL_VERSION}`;
  return new Failure(ExitCode.Refused, text);
}

/**
 * Returns the failure with which a stream ended; undefined if another stream may fare better. `isKnown` tells whether an
 * arena has answered at the address before.
 */
export function findFailure(
  error: ConnectError,
  farewell: Farewell | undefined,
  address: string,
  isKnown: boolean,
): Failure | undefined {
  const isOfArena = !isKnown || error.details.length > 0;
  let ending = (farewell && finalReasons.get(farewell.reason)) ?? (isOfArena ? finalCodes.get(error.code) : undefined);
  const [, meaning] = firstTexts.find(([text]) => text.test(error.rawMessage)) ?? [];
  if (!ending && !isKnown && meaning) ending = [ExitCode.Refused, meaning];
  const why = farewell?.detail || describe(error);
  return ending && new Failure(ending[0], `${ending[1]} (${address}: ${why})`);
}
