import type { MessageInitShape } from "@bufbuild/protobuf";
import { otherVersion } from "./failure.js";
import type { BotNoticeSchema, PlayResponse } from "./gen/cheatarena/v1/play_pb.js";
import { ChallengePolicy } from "./gen/cheatarena/v1/pool_pb.js";
import type { Welcome } from "./gen/cheatarena/v1/session_pb.js";
import { describePool } from "./pools.js";
import { type Decision, Seat } from "./seat.js";
import type { Settings } from "./settings.js";
import { Watch } from "./watch.js";

export const PROTOCOL_VERSION = 1;
const CAPACITY = 1000; // seats at the same time; the answers of all fit into one frame

/** A frame for the server. */
export interface Request {
  decisions: Decision[];
  notices: MessageInitShape<typeof BotNoticeSchema>[];
}

/** All seats of this process. Reads frames and answers them; `line.ts` carries them. */
export class Session {
  readonly #seats = new Map<string, Seat>();
  /** The seats of accepted offers whose matches have not begun, by offer. */
  readonly #accepted = new Map<number, string>();
  /** Names the server's process, which is another one after a restart. */
  #node = "";
  #takesNoAnswer = false;
  #watch = new Watch();
  /** Whether the bot takes no new seats, and ends with its last match. */
  #isFinishing = false;
  /** Whether the server has named all seats on this stream. */
  #isCaughtUp = false;

  constructor(readonly settings: Settings) {}

  /**
   * Begins a stream. A seat with a position gets the messages that it has missed, and any other seat gets a snapshot. So
   * most bots need no positions.
   */
  hello(): Request {
    const { instance, resumesExactly, version } = this.settings;
    const { pools, challenges } = this.#isFinishing ? { pools: [], challenges: ChallengePolicy.NOBODY } : this.settings;
    const capacity = this.#isFinishing ? Math.max(1, this.#seatCount) : CAPACITY;
    if (!resumesExactly) this.#seats.clear();
    this.#watch = new Watch();
    this.#isCaughtUp = false;
    const value = {
      protocolVersion: PROTOCOL_VERSION,
      instance: instance.name,
      isInstanceDerived: instance.isDerived,
      games: [{ game: "cheat" }, { game: "cheater" }],
      capacity,
      node: this.#node,
      positions: [...this.#seats.values()].map((seat) => seat.resume()),
      pools,
      version,
      challenges,
    };
    return { decisions: [], notices: [{ notice: { case: "hello", value } }] };
  }

  /**
   * Reads a whole frame, and then adds the answers to all of it to a reply. Returns when more answers are due. Throws if
   * another stream is needed.
   */
  read(frame: PlayResponse, reply: Request): number {
    const nowUs = Number(frame.nowUs);
    for (const message of frame.messages) {
      if (message.sequence === 0n) continue; // it refuses a decision for a seat that is no longer ours
      const key = `${message.match} ${message.entrant}`;
      const seat = this.#seats.get(key) ?? new Seat(message.match, message.entrant);
      this.#seats.set(key, seat);
      for (const [offer, begun] of this.#accepted) if (begun === key) this.#accepted.delete(offer);
      seat.hear(message, nowUs);
    }
    const oldestUs = Math.min(...[...this.#seats.values()].map((seat) => seat.oldestUs));
    if (!this.#watch.hear(nowUs, oldestUs)) throw new Error("nothing of what this bot sends arrives");
    for (const { notice } of frame.notices) {
      if (notice.case === "welcome") this.#greet(notice.value);
      else if (notice.case === "poolNotice") console.error(describePool(notice.value));
      else if (notice.case === "offered") {
        const { offerId, match, entrant } = notice.value;
        const value = { offerId, accept: !this.#isFinishing };
        if (value.accept) this.#accepted.set(offerId, `${match} ${entrant}`);
        reply.notices.push({ notice: { case: "offerAnswer", value } });
      } else if (notice.case === "offerClosed") this.#accepted.delete(notice.value.offerId);
      else if (notice.case === "resumed") this.#isCaughtUp = true;
      else if (notice.case === "ping") {
        reply.notices.push({ notice: { case: "pong", value: { nonce: notice.value.nonce } } });
      }
    }
    return this.answer(nowUs, reply);
  }

  /** Adds to a reply all that is due now. Returns the instant at which more is due. */
  answer(nowUs: number, reply: Request): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [key, seat] of this.#seats) {
      next = Math.min(next, seat.answer(nowUs, this.#takesNoAnswer, reply));
      if (seat.isOver) this.#seats.delete(key);
    }
    const sentUs = this.#watch.nowUs();
    for (const seat of this.#seats.values()) seat.stamp(sentUs);
    return next;
  }

  /**
   * Takes no new seats, from the next hello on. Returns how many matches are left, or 0 if the bot is in no pool or was
   * told before.
   */
  finish(): number {
    if (this.#isFinishing || this.settings.pools.length === 0) return 0;
    this.#isFinishing = this.#seatCount > 0;
    return this.#seatCount;
  }

  /** The seats that the bot holds or has accepted. */
  get #seatCount(): number {
    return this.#seats.size + this.#accepted.size;
  }

  /** Whether a session that finishes has no seat left. */
  get isDone(): boolean {
    return this.#isFinishing && this.#isCaughtUp && this.#seatCount === 0;
  }

  #greet(welcome: Welcome): void {
    if (welcome.protocolVersion !== PROTOCOL_VERSION) throw otherVersion(welcome.protocolVersion);
    if (welcome.node !== this.#node) {
      this.#seats.clear();
      this.#accepted.clear();
    }
    this.#node = welcome.node;
    this.#takesNoAnswer = welcome.takesNoAnswer;
    const { instance } = this.settings;
    if (instance.settle(welcome.instance)) {
      console.error(`another program of this bot runs here, so this one is its instance ${instance.name}`);
    }
  }
}
