import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DecisionAnswer, DecisionSchema, Prompt } from "./gen/cheatarena/v1/decision_pb.js";
import { ErrorReason } from "./gen/cheatarena/v1/error_reason_pb.js";
import { type Event, FaultKind } from "./gen/cheatarena/v1/event_pb.js";
import type { SeatMessage } from "./gen/cheatarena/v1/play_pb.js";
import { decide, newPlayer, type Player } from "./player.js";
import type { Request } from "./session.js";

/** The instant of a decision that is about to be sent. */
const IS_NOW = Number.NEGATIVE_INFINITY;

export type Decision = MessageInitShape<typeof DecisionSchema>;

/** An open prompt. */
export interface Question {
  prompt: Prompt;
  /** Of the next answer, or of the one that was sent. */
  actionId: number;
  /** Whether the answer was sent on this stream. */
  isSent: boolean;
  /** When it may be sent. */
  earliestUs: number;
  /** Whether an answer broke a rule. */
  isRefused: boolean;
}

/** This bot's part in one match. All instants are in microseconds, on the server's clock. */
export class Seat {
  isOver = false;
  #isBreak = false;
  /** Whether Ready was sent on this stream. */
  #isReady = false;
  /** Of the last message. */
  #sequence = 0n;
  #player: Player | undefined;
  readonly #questions = new Map<number, Question>();
  /** When the decisions were sent that have no answer yet, by prompt; also after it has closed. */
  readonly #sentUs = new Map<number, number>();

  constructor(
    readonly match: number,
    readonly entrant: number,
  ) {}

  /**
   * Begins a new stream, and returns the position. What was sent on the last stream may be lost, so it is sent again,
   * under the same action ids.
   */
  resume() {
    this.#isReady = false;
    this.#sentUs.clear();
    for (const question of this.#questions.values()) question.isSent = false;
    return { match: this.match, entrant: this.entrant, sequence: this.#sequence };
  }

  /** Processes a message. Throws if a message before it is missing. */
  hear(message: SeatMessage, nowUs: number): void {
    const { snapshot } = message;
    if (snapshot) {
      this.#questions.clear();
      for (const event of snapshot.events) this.#learn(event);
      if (snapshot.game.case) this.#player?.restore(snapshot);
      for (const prompt of snapshot.prompts) this.#ask(prompt);
      for (const answer of snapshot.answers) this.#settle(answer, nowUs);
      for (const id of snapshot.answered) this.#questions.delete(id);
    } else if (message.sequence !== this.#sequence + 1n) {
      throw new Error(`match ${this.match}: message ${message.sequence} came after message ${this.#sequence}`);
    }
    this.#sequence = message.sequence;
    for (const event of message.events) this.#learn(event);
    for (const answer of message.answers) this.#settle(answer, nowUs);
    for (const prompt of message.prompts) this.#ask(prompt);
    for (const id of message.withdrawn) this.#questions.delete(id);
  }

  /** Adds to a reply what is due now. Returns the instant at which more is due. */
  answer(nowUs: number, takesNoAnswer: boolean, reply: Request): number {
    const { match, entrant } = this;
    let next = Number.POSITIVE_INFINITY;
    for (const [promptId, question] of this.#questions) {
      if (question.isSent) continue;
      if (question.earliestUs > nowUs) {
        next = Math.min(next, question.earliestUs);
        continue;
      }
      question.isSent = true;
      const action = decide(this.#player, question);
      if (action.case === "noAnswer" && !takesNoAnswer) continue; // an old server: it moves by itself at the deadline
      reply.decisions.push({ match, entrant, promptId, actionId: question.actionId, action });
      this.#sentUs.set(promptId, IS_NOW);
    }
    if (this.#isBreak && !this.#isReady) {
      this.#isReady = true;
      reply.notices.push({ notice: { case: "ready", value: { match, entrant } } });
    }
    return next;
  }

  /** Notes when the answers that were added to the last reply are sent. */
  stamp(nowUs: number): void {
    for (const [id, sentUs] of this.#sentUs) if (sentUs === IS_NOW) this.#sentUs.set(id, nowUs);
  }

  /** When the oldest decision was sent that has no answer yet. */
  get oldestUs(): number {
    return Math.min(...this.#sentUs.values());
  }

  #learn({ fact }: Event): void {
    if (fact.case === "matchStarted") this.#player = newPlayer(fact.value.terms, this.entrant);
    else if (fact.case === "gameStarted") this.#isBreak = false;
    else if (fact.case === "gameEnded") this.#questions.clear();
    else if (fact.case === "intermissionStarted") {
      this.#isBreak = true;
      this.#isReady = false;
    } else if (fact.case === "matchEnded") this.isOver = true;
    else if (fact.case === "fault") {
      const { kind, promptId, reason } = fact.value;
      console.error(`match ${this.match}: fault ${FaultKind[kind]}: prompt ${promptId}, ${ErrorReason[reason]}`);
    }
    this.#player?.hear(fact);
  }

  /** Notes a prompt. One that comes again has other times; an answer that was sent stays valid. */
  #ask(prompt: Prompt): void {
    const fresh = { actionId: prompt.id * 16, isSent: false, isRefused: false };
    const known = this.#questions.get(prompt.id) ?? fresh;
    this.#questions.set(prompt.id, { ...known, prompt, earliestUs: Number(prompt.earliestUs ?? 0) });
  }

  /** Processes the result of a decision. After some refusals, another answer is welcome. */
  #settle({ promptId, actionId, reason }: DecisionAnswer, nowUs: number): void {
    this.#sentUs.delete(promptId);
    const question = this.#questions.get(promptId);
    if (!question || actionId < question.actionId) return;
    question.actionId = actionId + 1;
    question.isSent = false;
    switch (reason) {
      case ErrorReason.UNSPECIFIED: // the decision counts, or is held
      case ErrorReason.LATE:
      case ErrorReason.UNKNOWN_PROMPT:
      case ErrorReason.ALREADY_ANSWERED:
        this.#questions.delete(promptId);
        break;
      case ErrorReason.TOO_EARLY: // the server has lost time: wait a little longer each time
        question.earliestUs = nowUs + 5000 * (question.actionId % 16);
        break;
      case ErrorReason.ACTION_ID_CONFLICT:
        break;
      default:
        question.isRefused = true;
    }
  }
}
