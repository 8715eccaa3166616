import type { MessageInitShape } from "@bufbuild/protobuf";
import { Cheat } from "./cheat.js";
import { Cheater } from "./cheater.js";
import { CheatActionKind } from "./gen/cheatarena/v1/cheat_pb.js";
import {
  type DecisionAnswer,
  type DecisionSchema,
  DecisionStatus,
  NoAnswerCause,
  type Prompt,
} from "./gen/cheatarena/v1/decision_pb.js";
import { ErrorReason } from "./gen/cheatarena/v1/error_reason_pb.js";
import { type Event, FaultKind } from "./gen/cheatarena/v1/event_pb.js";
import type { SeatMessage } from "./gen/cheatarena/v1/play_pb.js";
import type { SeatSnapshot } from "./gen/cheatarena/v1/snapshot_pb.js";

export type Decision = MessageInitShape<typeof DecisionSchema>;
export type Action = NonNullable<Decision["action"]>;

/** Knows one game of a match from its facts, and answers its prompts. */
export interface Player {
  restore(snapshot: SeatSnapshot): void;
  hear(fact: Event["fact"]): void;
  answer(options: Prompt["options"]): Action | undefined;
}

/** An open prompt. */
interface Question {
  prompt: Prompt;
  /** The answer on its way; undefined: to be answered. */
  sent?: Decision;
  /** How many answers were refused. */
  attempt: number;
  /** Whether an answer was refused that this bot took for legal. */
  isLost: boolean;
}

const MAX_ATTEMPTS = 16;
const MAX_TEXT_LENGTH = 50; // characters; a cause may have 200 bytes
const TOO_EARLY_PAUSE_MS = 10; // to be added after each call that came too early

/** This bot's part in one match. */
export class Seat {
  /** Of the last message. */
  sequence = 0n;
  inBreak = false;
  isOver = false;
  #player: Player | undefined;
  readonly #questions = new Map<number, Question>();

  constructor(
    readonly match: number,
    readonly entrant: number,
  ) {}

  /** Processes a message. Throws if a message before it is missing. */
  hear(message: SeatMessage): void {
    if (message.snapshot) this.#restore(message.snapshot);
    else if (message.sequence !== this.sequence + 1n) {
      throw new Error(`match ${this.match}: message ${message.sequence} came after message ${this.sequence}`);
    }
    this.sequence = message.sequence;
    for (const event of message.events) this.#learn(event);
    for (const answer of message.answers) this.#settle(answer);
    for (const prompt of message.prompts) this.#ask(prompt);
    for (const id of message.withdrawn) this.#questions.delete(id);
  }

  /** Answers the open questions that have no answer yet. Returns each decision with the time to wait before it goes. */
  answerQuestions(takesNoAnswer: boolean, serverStartMs: number): [decision: Decision, waitMs: number][] {
    const answered: [Decision, number][] = [];
    for (const [id, question] of this.#questions) {
      if (question.sent) continue;
      const action = question.attempt < MAX_ATTEMPTS ? this.#decide(question) : undefined;
      if (!action || (action.case === "noAnswer" && !takesNoAnswer)) {
        this.#questions.delete(id);
        continue;
      }
      const { match, entrant } = this;
      question.sent = { match, entrant, promptId: id, actionId: id * 16 + question.attempt, action };
      answered.push([question.sent, waitMs(question, serverStartMs)]);
    }
    return answered;
  }

  /** Returns the decisions on their way whose instant has come. */
  unanswered(serverStartMs: number): Decision[] {
    return [...this.#questions.values()].flatMap((question) =>
      question.sent && waitMs(question, serverStartMs) <= 0 ? [question.sent] : [],
    );
  }

  /** Whether a decision is still the answer to an open prompt. */
  isWaitingFor(decision: Decision): boolean {
    return this.#questions.get(decision.promptId ?? 0)?.sent === decision;
  }

  #restore(snapshot: SeatSnapshot): void {
    this.#questions.clear();
    for (const event of snapshot.events) this.#learn(event);
    if (snapshot.game.case) this.#player?.restore(snapshot);
    for (const prompt of snapshot.prompts) if (!snapshot.answered.includes(prompt.id)) this.#ask(prompt);
    for (const { promptId, actionId } of snapshot.answers) {
      const question = this.#questions.get(promptId); // its action ids are used
      if (question) question.attempt = Math.max(question.attempt, actionId - promptId * 16 + 1);
    }
  }

  #learn(event: Event): void {
    const { fact } = event;
    if (fact.case === "matchStarted") {
      const rules = fact.value.terms?.ruleset?.game;
      this.#player = rules?.case === "cheat" ? new Cheat(rules.value, this.entrant) : new Cheater(this.entrant);
    } else if (fact.case === "gameEnded") this.#questions.clear();
    else if (fact.case === "intermissionStarted") this.inBreak = true;
    else if (fact.case === "matchEnded") this.isOver = true;
    else if (fact.case === "fault") {
      const { kind, promptId, reason } = fact.value;
      console.error(`match ${this.match}: fault ${FaultKind[kind]}: prompt ${promptId}, ${ErrorReason[reason]}`);
    }
    this.#player?.hear(fact);
  }

  /** Notes a prompt. One that comes again has other times; an answer that is on its way stays valid. */
  #ask(prompt: Prompt): void {
    const known = this.#questions.get(prompt.id);
    if (known) known.prompt = prompt;
    else this.#questions.set(prompt.id, { prompt, attempt: 0, isLost: false });
  }

  /** Processes the result of a decision. Held answers stand too, until another prompt comes. */
  #settle({ promptId, actionId, status, reason }: DecisionAnswer): void {
    const question = this.#questions.get(promptId);
    if (question?.sent?.actionId !== actionId) return;
    const isClosed = [ErrorReason.LATE, ErrorReason.UNKNOWN_PROMPT, ErrorReason.ALREADY_ANSWERED].includes(reason);
    if (status !== DecisionStatus.REFUSED || isClosed) {
      this.#questions.delete(promptId);
      return;
    }
    delete question.sent;
    question.attempt++;
    if (reason !== ErrorReason.TOO_EARLY && reason !== ErrorReason.ACTION_ID_CONFLICT) {
      console.error(`match ${this.match}: prompt ${promptId}: the answer was refused: ${ErrorReason[reason]}`);
      question.isLost = true;
    }
  }

  /** Returns the answer to a question, or says that there is none. */
  #decide(question: Question): Action | undefined {
    if (question.isLost) return noAnswer(NoAnswerCause.GAVE_UP, "the answer was refused");
    try {
      return this.#player?.answer(question.prompt.options);
    } catch (error) {
      console.error(`match ${this.match}: prompt ${question.prompt.id}:`, error);
      return noAnswer(NoAnswerCause.CRASHED, String(error).slice(0, MAX_TEXT_LENGTH));
    }
  }
}

function noAnswer(cause: NoAnswerCause, text: string): Action {
  return { case: "noAnswer", value: { cause, text } };
}

/** Returns how long a call has to wait. One that came too early waits a little longer each time. */
function waitMs({ prompt, attempt, sent }: Question, serverStartMs: number): number {
  const isDecline = sent?.action?.case === "cheat" && sent.action.value.kind === CheatActionKind.DECLINE;
  if (prompt.earliestUs === undefined || isDecline) return 0;
  return serverStartMs + Number(prompt.earliestUs) / 1000 - performance.now() + attempt * TOO_EARLY_PAUSE_MS;
}
