"""Plays one practice match. It delivers facts and questions to the bots and applies their decisions, until it ends."""

from collections import deque
from collections.abc import Callable, Sequence

from arena.author.practice.bot_runtime import CoroutineRunner, PracticeRuntime
from arena.author.practice.seat import Decision, PracticeSeat
from arena.author.practice.seats import PracticeSeats
from arena.errors import BotFailureError
from arena.games.catalogue import pack_of
from arena.games.sdk_values import terms_for_bots
from arena.match.deal.practice_seed import PRACTICE_ID
from arena.match.deal.stream import entrant_seed
from arena.match.referee.inputs import Answer, Begin, Reject
from arena.match.referee.orders import Refusal
from arena.match.referee.ports import ChanceSource, MatchId, NullJournal
from arena.match.referee.scalars import Instant, PromptId
from arena.match.referee.table import Table
from arena.match.referee.terms import Terms, describe_terms
from arena.server.node.limits import Limits
from cheatarena.player import Player

MATCH_ID = MatchId(PRACTICE_ID)
_MAX_NOTE_BYTES = Limits().note_bytes


class _InMemoryJournal(NullJournal):
    """A journal that keeps its records in memory."""

    def __init__(self, records: list[bytes]) -> None:
        self._records = records

    def append(self, record: bytes) -> None:
        self._records.append(record)


class PracticeMatch:
    """One practice match: a table and its bots."""

    def __init__(
        self,
        terms: Terms,
        seed: bytes,
        chance: ChanceSource,
        bots: Sequence[Player | type[Player]],
        runner: CoroutineRunner,
        clock: Callable[[], Instant],
        keeps_records: bool,
    ) -> None:
        """`seed` gives the bots their random sources, and `chance` draws the cards."""
        values = pack_of(terms.game.name).load_sdk_values()
        self._clock = clock
        self._decisions: deque[Decision] = deque()
        self._records: list[bytes] = []
        journal = _InMemoryJournal(self._records) if keeps_records else NullJournal()
        self._seats = PracticeSeats(terms.game, values, bots[0].game.fact_handlers)
        self._table = Table(1, MATCH_ID, terms, journal, chance, self._seats, keeps_records=False)
        bot_terms, line = terms_for_bots(terms, values), PracticeRuntime(runner)
        self._seats.seats = [
            PracticeSeat(
                entrant,
                bot() if isinstance(bot, type) else bot,
                bot_terms,
                entrant_seed(seed, MATCH_ID, entrant),
                values,
                line,
                self._decisions.append,
            )
            for entrant, bot in zip(terms.entrant_indices, bots, strict=True)
        ]

    def play(self) -> tuple[tuple[tuple[int, ...], ...], tuple[bytes, ...]]:
        """Play the match to its end. Return the places by game and entrant, and the journal records.

        Raises BotFailureError if a bot gives no answer that counts.
        """
        table, seats, decisions = self._table, self._seats, self._decisions
        now = self._clock()
        table.apply(Begin(now, now, MATCH_ID, describe_terms(table.terms)))
        seats.deliver()
        while table.referee.ended is None:
            if not decisions:
                refused = self._seats.refused
                raise BotFailureError(describe_stall(table, refused.reason if refused else None))
            while decisions:
                self._apply_decision(decisions.popleft())
            seats.deliver()
        return tuple(ended.places_by_entrant for ended in table.referee.results), tuple(self._records)

    def _apply_decision(self, decision: Decision) -> None:
        now, table, entrant, prompt_id = self._clock(), self._table, decision.entrant, PromptId(decision.question.id)
        self._seats.judged = decision
        if decision.note and len(decision.note.encode()) > _MAX_NOTE_BYTES:
            table.apply(Reject(now, now, entrant, prompt_id, decision.action_id, Refusal.NOTE_TOO_LONG))
            return
        action = decision.action
        text = table.terms.game.write_action(action)
        table.apply(Answer(now, now, entrant, prompt_id, decision.action_id, text, decision.note, action))


def describe_stall(table: Table, refusal: str | None) -> str:
    """Return a text with the name of a bot that gave no valid answer, and with the reason of the last refusal."""
    referee, terms = table.referee, table.terms
    for entrant, name in zip(terms.entrant_indices, terms.entrants, strict=True):
        if any(not is_answered for _, is_answered in referee.prompts_of(entrant)):
            why = f": its last answer was refused, {refusal}" if refusal else ""
            return f"{name} gives no answer that counts in game {len(referee.results)}{why}"
    return "no bot has a question to answer, but the match is not over"
