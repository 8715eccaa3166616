import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { ExitCode, Failure } from "./failure.js";
import { PlayService } from "./gen/cheatarena/v1/play_pb.js";
import type { Farewell } from "./gen/cheatarena/v1/session_pb.js";
import { Search } from "./search.js";
import { type Request, Session } from "./session.js";
import type { Settings } from "./settings.js";

const GOODBYE_MS = 2000; // for the server's farewell
const WELCOME_MS = 10_000; // for the server's first frame
const SILENCE_MS = 25_000; // after which a stream is lost, because the server sends a ping every 10 s

/** Carries the frames of a session, on one stream after another. */
export class Line {
  readonly #session: Session;
  readonly #search: Search;
  readonly #stopping = new AbortController();
  /** Ends the stream. */
  #ending = new AbortController();
  #isStopping = false;
  #outbox = new Outbox();
  #farewell: Farewell | undefined;
  /** For answers that have to wait. */
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly settings: Settings) {
    this.#session = new Session(settings);
    this.#search = new Search(settings.address, settings.patienceMs);
  }

  /** Opens streams until `stop`. Throws a Failure if another stream would not help. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      const error = await this.#stream();
      if (this.#isStopping) return;
      const pauseMs = this.#judge(error);
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  /** Returns how long to wait before the next stream. Throws a Failure if it would not help. */
  #judge(error: ConnectError): number {
    try {
      return this.#search.next(error, this.#farewell);
    } catch (failure) {
      const { instance } = this.settings;
      const isReplaced = failure instanceof Failure && failure.exitCode === ExitCode.Replaced;
      if (!isReplaced || !instance.giveWay()) throw failure;
      console.error(`another program of this bot took over its seats: this one plays on as instance ${instance.name}`);
      return 0;
    }
  }

  /** Begins a stream that takes no new seats. Returns false if there is no match to finish. */
  finish(): boolean {
    const left = this.#session.finish();
    if (left === 0) return false;
    const how = "Ctrl-C again ends it now";
    console.error(`no new seats: this bot ends after its matches, of which ${left} are left; ${how}`);
    this.#ending.abort(new ConnectError("this bot begins another stream"));
    return true;
  }

  /** Says goodbye, and ends `run`. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#outbox.push({ decisions: [], notices: [{ notice: { case: "goodbye", value: {} } }] });
    setTimeout(() => this.#stopping.abort(), this.#search.isOver ? GOODBYE_MS : 0);
  }

  /** Runs one stream from its hello to its end, and returns why it ended. */
  async #stream(): Promise<ConnectError> {
    const { address, socketPath, token, tls } = this.settings;
    const baseUrl = socketPath ? "http://localhost" : `${tls ? "https" : "http"}://${address}`;
    const options = socketPath ? { createConnection: () => connect(socketPath) } : tls;
    const sessionManager = new Http2SessionManager(baseUrl, undefined, options);
    const client = createClient(PlayService, createGrpcTransport({ baseUrl, sessionManager, acceptCompression: [] }));
    const headers = { authorization: `Bearer ${token}` };
    const ending = new AbortController();
    this.#ending = ending;
    const signal = AbortSignal.any([ending.signal, this.#stopping.signal]);
    const abort = () => ending.abort(new ConnectError("the server does not answer"));
    let watch = setTimeout(abort, WELCOME_MS);
    this.#farewell = undefined;
    this.#outbox = new Outbox();
    this.#outbox.push(this.#session.hello());
    try {
      for await (const frame of client.play(this.#outbox, { headers, signal })) {
        clearTimeout(watch);
        watch = setTimeout(abort, SILENCE_MS);
        for (const { notice } of frame.notices) if (notice.case === "farewell") this.#farewell = notice.value;
        const nowUs = Number(frame.nowUs);
        this.#send(nowUs, (reply) => this.#session.read(frame, reply));
        this.#search.end();
        if (this.#session.isDone) this.stop();
      }
      return new ConnectError("the server ended the stream");
    } catch (error) {
      if (error instanceof Failure) throw error;
      return ConnectError.from(error);
    } finally {
      clearTimeout(watch);
      clearTimeout(this.#timer);
      this.#outbox.close();
      sessionManager.abort();
    }
  }

  /** Sends a reply, and later the answers that have to wait. */
  #send(nowUs: number, answer: (reply: Request) => number): void {
    const reply: Request = { decisions: [], notices: [] };
    const next = answer(reply);
    if (reply.decisions.length + reply.notices.length > 0) this.#outbox.push(reply);
    clearTimeout(this.#timer);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(
      () => this.#send(next, (later) => this.#session.answer(next, later)),
      Math.ceil((next - nowUs) / 1000),
    );
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
