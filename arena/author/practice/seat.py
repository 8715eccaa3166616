"""One seat of a practice match: a bot and its table, which get values instead of messages."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.games.sdk_values import SdkValues, strike_for_bot
from arena.match.referee.facts import GameEnded, GameStarted, MatchEnded, MatchStarted, StrikeIssued
from arena.match.referee.orders import DecisionResult
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.match.value_class import value_class
from cheatarena.bot_invoker import BotInvoker
from cheatarena.faults import describe_strike
from cheatarena.game_state import FactHandler, GameState
from cheatarena.match_log import MatchLog
from cheatarena.missing_run import note_play
from cheatarena.player import Player
from cheatarena.prompts import Question, question_kinds
from cheatarena.seat_runtime import BotRuntime
from cheatarena.terms import Terms

_MATCH_NUMBER: Final = 1
"""The number of the match on its node."""
_END_FACTS: Final = (GameEnded, MatchEnded)
"""Facts that are reported to the bot before its table applies any later fact."""

Change = tuple[FactHandler | None, Any]
"""A fact, and the handler that applies it to the state of the game; None for a fact about the match."""


@value_class(eq=False)
class Decision:
    entrant: EntrantIndex
    question: Question
    answer: Any
    action_id: int
    action: Any
    """The answer as an action of the rules."""
    note: str


@value_class(eq=False)
class AskedQuestion:
    """A question to a seat. Seats with the same options share one object."""

    prompt_id: PromptId
    kind: str
    """Name of the kind of question in the SDK."""
    legal: Any
    """What is legal, as a value of the SDK."""


@value_class(eq=False)
class ClosedQuestion:
    prompt_id: PromptId


@value_class(eq=False)
class Refused:
    decision: Decision
    result: DecisionResult


@value_class(eq=False)
class MatchFacts:
    """New facts with at least one about the match. Facts of the game alone come in a plain list."""

    changes: list[Change]


Item = list[Change] | MatchFacts | AskedQuestion | ClosedQuestion | Refused


class PracticeSeat:
    """A bot and its table. It puts questions to the bot, and passes the answers on."""

    def __init__(
        self,
        entrant: EntrantIndex,
        bot: Player,
        terms: Terms,
        seed: bytes,
        values: SdkValues,
        runtime: BotRuntime,
        decide: Callable[[Decision], None],
    ) -> None:
        """`seed` is that of the bot's random source. `decide` gets the bot's decisions."""
        note_play()
        game = bot.game
        self.entrant = entrant
        self.bot = bot
        self.inbox: list[Item] = []
        """What the seat handles next, in order."""
        self.table: Any = game.table(game, _MATCH_NUMBER, entrant, runtime.clock)
        self._terms = terms
        self._seed = seed
        self._decide = decide
        self._actions = values.actions
        self._checks = game.checks
        self._kinds = question_kinds(type(bot))
        self._invoker = BotInvoker(bot, self.table, runtime, self._submit, lambda _question, _told: None)
        self._log = MatchLog(self.table)
        self._action_id = 0
        self._sees = type(bot).saw is not Player.saw

    def handle_inbox(self, arrival_s: float) -> None:
        """Handle what is in the inbox, in order. `arrival_s` is when it arrived, in seconds of the monotonic clock."""
        items, self.inbox = self.inbox, []
        for item in items:
            if isinstance(item, AskedQuestion):
                self._invoker.put(item.prompt_id, self._kinds[item.kind], item.legal, arrival_s)
            elif isinstance(item, list):
                if self._sees:
                    self._take_and_report_in_parts(item)
                else:
                    self.table.apply(item)
            elif isinstance(item, MatchFacts):
                self._take_and_report_in_parts(item.changes)
            elif isinstance(item, Refused):
                decision = item.decision
                self._invoker.handle_refusal(decision.question, decision.answer, item.result.reason.upper())
            else:
                self._invoker.withdraw(item.prompt_id)

    # ---- facts

    def _take_and_report_in_parts(self, changes: Sequence[Change]) -> None:
        """Apply facts to the table, and report those that the bot listens to.

        The end of a game or match is reported before later facts are applied.
        """
        first = 0
        for last, (_, fact) in enumerate(changes, 1):
            if type(fact) in _END_FACTS:
                self._take_and_report(changes[first:last])
                first = last
        self._take_and_report(changes[first:])

    def _take_and_report(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if change[0] is None:
                self._take_match_fact(change[1])
            else:
                self.table.apply((change,))
        for handler, fact in changes:
            if handler is None:
                self._report_match_fact(fact)
            elif self._sees:
                self._invoker.call_hook(self.bot.saw, fact)

    def _take_match_fact(self, fact: Any) -> None:
        table = self.table
        table.note_new_facts()
        match fact:
            case MatchStarted():
                table.start_match(self._terms)
                table.set_seed(self._seed)
            case GameStarted(game, entrants):
                table.start_game(game, entrants)
            case StrikeIssued():
                table.add_strike(strike_for_bot(fact, table.game))
            case GameEnded():
                table.apply(((GameState.end, fact),))
            case MatchEnded(termination, place_sums):
                table.end_match(place_sums, termination)
            case _:
                raise TypeError(f"practice has no {type(fact).__name__}")

    def _report_match_fact(self, fact: Any) -> None:
        bot, call_hook = self.bot, self._invoker.call_hook
        match fact:
            case MatchStarted():
                self._log.note_fact("match_started")
                call_hook(bot.match_started)
            case GameStarted():
                call_hook(bot.game_started)
            case StrikeIssued():
                self._log.note_fact("fault")
                self.table.log.warning("%s", describe_strike(strike_for_bot(fact, self.table.game)))
            case GameEnded():
                self._log.note_fact("game_ended")
                call_hook(bot.game_ended)
            case MatchEnded():
                self._log.note_fact("match_ended")
                call_hook(bot.match_ended)
            case _:
                pass

    # ---- answers

    def _submit(self, question: Question, answer: Any) -> None:
        """Pass an answer on. If it is illegal, tell the bot and pass nothing on."""
        kind = type(answer)
        check = self._checks.get(kind)
        if check is not None and (breach := check(self.table, answer)):
            self._invoker.handle_breach(question, answer, breach)
            return
        self._action_id = action_id = self._action_id + 1
        note = answer.note.encode(errors="replace").decode() if answer.note else ""  # as on the way to a server
        self._decide(Decision(self.entrant, question, answer, action_id, self._actions[kind](answer), note))
