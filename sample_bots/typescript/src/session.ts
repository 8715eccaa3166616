import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { ExitCode, Failure, findFailure } from "./failure.js";
import {
  type BotNoticeSchema,
  type PlayRequestSchema,
  type PlayResponse,
  PlayService,
} from "./gen/cheatarena/v1/play_pb.js";
import type { Farewell, Welcome } from "./gen/cheatarena/v1/session_pb.js";
import { type Decision, Seat } from "./seat.js";
import type { Settings } from "./settings.js";

type Request = MessageInitShape<typeof PlayRequestSchema>;
type Notice = NonNullable<MessageInitShape<typeof BotNoticeSchema>["notice"]>;

const PROTOCOL_VERSION = 1;
const CAPACITY = 1000; // seats at the same time
const FRAME_DECISIONS = 200; // of at most 4 KiB each, so that a frame stays below 1 MiB
const GOODBYE_MS = 2000; // for the server's farewell
const MAX_PAUSE_MS = 2000; // between two attempts to connect
const WELCOME_MS = 5000; // for the server's first frame
const SILENCE_MS = 25_000; // between two frames; the server sends a ping every 10 s

/** All seats of this process, on one stream after the other. */
export class Session {
  readonly #seats = new Map<string, Seat>();
  readonly #stopping = new AbortController();
  #outbox = new Outbox();
  #farewell: Farewell | undefined;
  #isWelcome = false;
  #takesNoAnswer = false;
  #node = "";
  /** Instant 0 of the server's clock, on this machine's clock. */
  #serverStartMs = 0;

  constructor(readonly settings: Settings) {}

  /** Says goodbye, and ends `run`. */
  stop(): void {
    this.#notify({ case: "goodbye", value: {} });
    setTimeout(() => this.#stopping.abort(), this.#isWelcome ? GOODBYE_MS : 0);
    this.#isStopping = true;
  }

  #isStopping = false;

  /** Plays until `stop`. Throws a Failure if the bot cannot go on. */
  async run(): Promise<void> {
    const { address, patienceMs } = this.settings;
    let lostMs = performance.now();
    let pauseMs = 0;
    while (!this.#isStopping) {
      const openedMs = performance.now();
      const error = await this.#stream();
      if (this.#isStopping) return;
      const failure = findFailure(error, this.#farewell, address, this.#node !== "");
      if (failure) throw failure;
      const nowMs = performance.now();
      if (this.#isWelcome) lostMs = nowMs;
      if (nowMs - lostMs >= patienceMs) {
        const text = `no server at ${address} for ${patienceMs / 1000} s (${error.rawMessage})`;
        throw new Failure(ExitCode.Unavailable, text);
      }
      if (this.#isWelcome && nowMs - openedMs > MAX_PAUSE_MS / 4) pauseMs = 0;
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs + 100, MAX_PAUSE_MS);
    }
  }

  /** Runs one stream from its hello to its end, and returns why it ended. */
  async #stream(): Promise<ConnectError> {
    const { address, token, tls } = this.settings;
    const baseUrl = `${tls ? "https" : "http"}://${address}`;
    const sessionManager = new Http2SessionManager(baseUrl, undefined, tls);
    const client = createClient(PlayService, createGrpcTransport({ baseUrl, sessionManager, acceptCompression: [] }));
    this.#isWelcome = false;
    this.#farewell = undefined;
    this.#outbox = new Outbox();
    this.#notify({ case: "hello", value: this.#hello() });
    const headers = { authorization: `Bearer ${token}` };
    const silence = new AbortController();
    const signal = AbortSignal.any([silence.signal, this.#stopping.signal]);
    let watch = setTimeout(() => silence.abort(), WELCOME_MS);
    try {
      for await (const frame of client.play(this.#outbox, { headers, signal })) {
        clearTimeout(watch);
        watch = setTimeout(() => silence.abort(), SILENCE_MS);
        this.#read(frame);
      }
      return new ConnectError("the server ended the stream");
    } catch (error) {
      if (error instanceof Failure) throw error;
      return ConnectError.from(error);
    } finally {
      clearTimeout(watch);
      this.#outbox.close();
      sessionManager.abort();
    }
  }

  /** Begins a stream. Every seat without a position gets a snapshot, so most bots need no positions. */
  #hello() {
    if (!this.settings.resumesExactly) this.#seats.clear();
    return {
      protocolVersion: PROTOCOL_VERSION,
      instance: this.settings.instance,
      games: [{ game: "cheat" }, { game: "cheater" }],
      capacity: CAPACITY,
      node: this.#node,
      positions: [...this.#seats.values()].map(({ match, entrant, sequence }) => ({ match, entrant, sequence })),
    };
  }

  /** Reads a whole frame, and then answers all of it. */
  #read(frame: PlayResponse): void {
    const startMs = performance.now() - Number(frame.nowUs) / 1000;
    this.#serverStartMs = this.#isWelcome ? Math.min(this.#serverStartMs, startMs) : startMs;
    const decisions: Decision[] = [];
    const notices: Notice[] = [];
    const [first] = frame.notices;
    if (!this.#isWelcome && first?.notice.case === "welcome") decisions.push(...this.#greet(first.notice.value));
    const heard = new Set<Seat>();
    for (const message of frame.messages) {
      if (message.sequence === 0n) continue; // it refuses a decision for a seat that is no longer ours
      const key = `${message.match} ${message.entrant}`;
      const seat = this.#seats.get(key) ?? new Seat(message.match, message.entrant);
      this.#seats.delete(key); // if it fails, the next stream begins with its snapshot
      seat.hear(message);
      if (!seat.isOver) this.#seats.set(key, seat);
      heard.add(seat);
    }
    for (const seat of heard) {
      for (const [decision, waitMs] of seat.answerQuestions(this.#takesNoAnswer, this.#serverStartMs)) {
        if (waitMs > 0) setTimeout(() => this.#sendLater(seat, decision), waitMs);
        else decisions.push(decision);
      }
      if (seat.inBreak) notices.push({ case: "ready", value: { match: seat.match, entrant: seat.entrant } });
      seat.inBreak = false;
    }
    for (const { notice } of frame.notices) {
      if (notice.case === "offered") {
        notices.push({ case: "offerAnswer", value: { offerId: notice.value.offerId, accept: true } });
      } else if (notice.case === "ping") notices.push({ case: "pong", value: { nonce: notice.value.nonce } });
      else if (notice.case === "farewell") this.#farewell = notice.value;
    }
    this.#send(decisions, notices);
  }

  /** Begins a stream that the server has accepted. Answers may have been lost with the last one: they go again. */
  #greet(welcome: Welcome): Decision[] {
    if (welcome.protocolVersion !== PROTOCOL_VERSION) {
      const text = `speaks version ${welcome.protocolVersion} of the protocol, and this bot version ${PROTOCOL_VERSION}`;
      throw new Failure(ExitCode.Refused, `${this.settings.address} ${text}`);
    }
    if (welcome.node !== this.#node) this.#seats.clear(); // the server was restarted
    this.#isWelcome = true;
    this.#node = welcome.node;
    this.#takesNoAnswer = welcome.takesNoAnswer;
    return [...this.#seats.values()].flatMap((seat) => seat.unanswered(this.#serverStartMs));
  }

  #sendLater(seat: Seat, decision: Decision): void {
    if (this.#isWelcome && seat.isWaitingFor(decision)) this.#send([decision], []);
  }

  #notify(notice: Notice): void {
    this.#send([], [notice]);
  }

  /** Sends what is there, in several frames if it is large. */
  #send(decisions: Decision[], notices: Notice[]): void {
    while (decisions.length > FRAME_DECISIONS) this.#outbox.push({ decisions: decisions.splice(0, FRAME_DECISIONS) });
    if (decisions.length + notices.length > 0) {
      this.#outbox.push({ decisions, notices: notices.map((notice) => ({ notice })) });
    }
  }
}

/** Requests on their way to the server. */
class Outbox implements AsyncIterable<Request> {
  readonly #requests: Request[] = [];
  #isClosed = false;
  #wake = () => {};

  push(request: Request): void {
    this.#requests.push(request);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    while (!this.#isClosed) {
      for (let next = this.#requests.shift(); next; next = this.#requests.shift()) yield next;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#isClosed || this.#requests.length > 0) resolve();
      });
    }
  }
}
