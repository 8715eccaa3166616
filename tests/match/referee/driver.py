"""A match under test: time moves when a test says so, and everything that leaves the referee is recorded.

Instants are microseconds from the start; `S` and `MS` make them readable: `bench.send(1, "block", at=2 * S + 1)`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from arena.match.game import ChanceRequest, Game, Seat, Style
from arena.match.referee.facts import NoAnswerGiven, StrikeIssued, StrikeKind
from arena.match.referee.inputs import (
    Answer,
    Begin,
    Cancel,
    Credit,
    Disconnect,
    Input,
    Leave,
    NewRoundTrip,
    NoAnswer,
    Ready,
    Reconnect,
    Reject,
    Tick,
)
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.referee.pace import build_pace
from arena.match.referee.ports import MatchId
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.referee.table import Table
from arena.match.referee.terms import Seating, Terms, describe_terms
from tests.support.toy_game import RAID

MS = 1_000
S = 1_000_000

NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim")


class MemoryJournal:
    """Journal that keeps its records in memory."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    def append(self, record: bytes) -> None:
        self.records.append(record)

    def flush(self) -> None:
        """Nothing is written anywhere."""


class ScriptedChance:
    """Dice as scripted, then always the same face; decks in their original order."""

    def __init__(self, dice: Iterable[int] = ()) -> None:
        self._dice = iter([*dice])

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        if not chance.faces:
            return range(chance.count)
        return [next(self._dice, 0) % chance.faces for _ in range(chance.count)]


class MatchDriver:
    """A match table under test, with its time and all of its orders."""

    def __init__(self, terms: Terms, chance: Any = None, match_id: str = "M") -> None:
        self.terms = terms
        self.game = terms.game
        self.paper = MemoryJournal()
        self.orders: list[Order] = []
        self.table = Table(7, MatchId(match_id), terms, self.paper, chance or ScriptedChance(), self)
        self.clock = 0
        self._action_id = 100

    def publish(self, orders: Sequence[Order]) -> None:
        """Hear what one input has led to."""
        self.orders += orders

    @property
    def referee(self) -> Referee:
        return self.table.referee

    @property
    def due(self) -> int | None:
        return self.table.due

    # ---- inputs; each gives the orders that it led to

    def begin(self, at: int = 0, absent: Sequence[int] = ()) -> list[Order]:
        instant, missing = Instant(at), tuple(map(EntrantIndex, absent))
        deal = self.table.deal
        contributions = () if deal is None or deal.prepared is None else deal.prepared.contributions
        begin = Begin(instant, instant, self.table.match_id, describe_terms(self.terms), missing, contributions)
        return self.apply(begin)

    def send(
        self,
        entrant: int,
        action: Any,
        at: int | None = None,
        *,
        kind: str = "",
        prompt: int | None = None,
        action_id: int | None = None,
        is_read_first: bool = False,
        ends_instant: bool = True,
    ) -> DecisionResult:
        """Send a decision for the entrant's open prompt and return the answer to it.

        Items due before it are processed first; with `is_read_first` the referee reads it before them. Without
        `ends_instant` more may arrive in the same instant before a live call is settled.
        """
        at = self.clock if at is None else at
        if not is_read_first:
            self.catch_up(at)
        if isinstance(action, str):
            action = self.game.read_action(action)
        if prompt is None:
            prompt = self.prompt(entrant, kind).id
        if action_id is None:
            self._action_id += 1
            action_id = self._action_id
        told = self.put_answer(entrant, prompt, action_id, action, at)
        playing = self.referee.current_game
        groups = [] if playing is None else playing.prompts.groups.values()
        if ends_instant and any(group.settles_at is not None for group in groups):
            self.table.apply(Tick(Instant(at + 1), Instant(at + 1)))
        mine = [order for order in told if isinstance(order, DecisionResult) and order.action_id == action_id]
        return mine[0]

    def send_no_answer(
        self, entrant: int, given: NoAnswerGiven, at: int, *, kind: str = "", prompt: int | None = None
    ) -> DecisionResult:
        """Say for the entrant's open prompt that there is no answer, and return the result."""
        self.catch_up(at)
        self._action_id += 1
        prompt_id = self.prompt(entrant, kind).id if prompt is None else PromptId(prompt)
        entry = NoAnswer(Instant(at), Instant(at), EntrantIndex(entrant), prompt_id, self._action_id, given)
        return next(order for order in self.apply(entry) if isinstance(order, DecisionResult))

    def mark_ready(self, entrant: int, at: int) -> list[Order]:
        return self._timed(Ready(Instant(at), Instant(at), EntrantIndex(entrant)))

    def leave(self, entrant: int, at: int) -> list[Order]:
        return self._timed(Leave(Instant(at), Instant(at), EntrantIndex(entrant)))

    def disconnect(self, entrant: int, at: int) -> list[Order]:
        return self._timed(Disconnect(Instant(at), Instant(at), EntrantIndex(entrant)))

    def reconnect(self, entrant: int, at: int) -> list[Order]:
        return self._timed(Reconnect(Instant(at), Instant(at), EntrantIndex(entrant)))

    def measure(self, entrant: int, us: int, at: int) -> list[Order]:
        """Tell the referee an entrant's new round trip."""
        return self._timed(NewRoundTrip(Instant(at), Instant(at), EntrantIndex(entrant), us))

    def cancel(self, at: int, termination: str = "cancelled") -> list[Order]:
        return self._timed(Cancel(Instant(at), Instant(at), termination))

    def stall(self, at: int, us: int, *, is_caught_up: bool = True) -> None:
        """The server stood still from `at` on for so long, and hears about it afterwards.

        Without `is_caught_up` what was due shortly before has not been done yet.
        """
        if is_caught_up:
            self.catch_up(at)
        self.apply(Credit(Instant(at + us), Instant(at + us), us))

    def reject(self, entrant: int, prompt: int, action_id: int, reason: str, at: int) -> list[Order]:
        instant = Instant(at)
        return self._timed(Reject(instant, instant, EntrantIndex(entrant), PromptId(prompt), action_id, reason))

    def run_until(self, at: int) -> list[Order]:
        """Process everything due at or before an instant, in order, each item at its own instant."""
        return self._run(lambda due: due <= at, at)

    def run_until_before(self, at: int) -> list[Order]:
        """Do all that is due before an instant."""
        return self._run(lambda due: due < at, at - 1)

    def catch_up(self, at: int) -> list[Order]:
        """Do what comes before a message of this instant: in live all that is due then, in sealed what was due before.

        Live: spec A11, equal instants. Sealed: an answer that arrives at its deadline counts.
        """
        return self.run_until(at) if self.terms.pace.style is Style.LIVE else self.run_until_before(at)

    def play_until(self, stop: Callable[[], object], sleeps: Callable[[int, str], bool] = lambda *_: False) -> None:
        """Play until `stop`: prompted entrants answer at once with the automatic action.

        `sleeps` takes an entrant and a kind of prompt; if all prompted entrants sleep, time moves to the next deadline.
        """
        for _ in range(10_000):
            if stop():
                return
            awake = [(e, p) for e in self.entrants() for p in self.prompts(e) if not sleeps(e, p.kind)]
            if awake:
                self.answer(*awake[0])
            elif self.due is not None:
                self.run_until(self.due)
            else:
                break
        raise AssertionError("the match does not get there")

    def answer(self, entrant: int, view: PromptView) -> DecisionResult:
        """Answer with the automatic action, but of one's own will."""
        seat = self.referee.seat_of(EntrantIndex(entrant))
        assert seat is not None
        return self.send(entrant, self.game.automatic_action(self.state, seat, view.kind), prompt=view.id)

    def play_game_out(self, at: int | None = None) -> None:
        """Play until the game ends: every prompted entrant answers at once."""
        at = self.clock if at is None else at
        self.catch_up(at)
        self.clock = at
        number = len(self.referee.results)
        self.play_until(lambda: self.referee.current_game is None or len(self.referee.results) > number)

    def _run(self, is_wanted: Callable[[int], bool], at: int) -> list[Order]:
        start = len(self.orders)
        for _ in range(10_000):
            due = self.due
            if due is None or not is_wanted(due):
                break
            self.apply(Tick(Instant(due), Instant(due)))
        else:
            raise AssertionError(f"something stays due at {self.due}")
        self.clock = max(self.clock, at)
        return self.orders[start:]

    def put_answer(
        self, entrant: int, prompt: int, action_id: int, action: Any, at: int, now: int | None = None, note: str = ""
    ) -> list[Order]:
        """Put in a decision, maybe handled later than it arrived."""
        instant, handled, text = Instant(at), Instant(at if now is None else now), self.game.write_action(action)
        return self.apply(
            Answer(instant, handled, EntrantIndex(entrant), PromptId(prompt), action_id, text, note, action)
        )

    def _timed(self, entry: Input) -> list[Order]:
        self.catch_up(entry.at)
        return self.apply(entry)

    def apply(self, entry: Input) -> list[Order]:
        """Apply any input and return the resulting orders."""
        start = len(self.orders)
        self.clock = max(self.clock, entry.at)
        self.table.apply(entry)
        return self.orders[start:]

    # ---- observations

    @property
    def state(self) -> Any:
        assert self.referee.current_game is not None
        return self.referee.current_game.state

    def entrants(self) -> range:
        return range(len(self.terms.entrants))

    def prompts(self, entrant: int) -> list[PromptView]:
        """Open prompts that the entrant has not answered."""
        return [view for view, is_answered in self.referee.prompts_of(EntrantIndex(entrant)) if not is_answered]

    def prompt(self, entrant: int, kind: str = "") -> PromptView:
        """The one open prompt, of a kind."""
        found = [v for v, _ in self.referee.prompts_of(EntrantIndex(entrant)) if kind in ("", v.kind)]
        assert len(found) == 1, f"entrant {entrant} has prompts {found}"
        return found[0]

    def asked_entrants(self, kind: str = "") -> list[int]:
        """Entrants with an open prompt that they have not answered."""
        return [e for e in self.entrants() if any(kind in ("", v.kind) for v in self.prompts(e))]

    def strikes(self, entrant: int) -> dict[str, int]:
        """Strikes by kind."""
        return {kind.value: count for kind, count in self.referee.entrant_records[entrant].strikes.items()}

    def announced_strikes(self, entrant: int) -> list[StrikeIssued]:
        """Return the strikes announced to the entrant."""
        return [o.struck for o in self.orders if isinstance(o, TellStrike) and o.struck.entrant == entrant]

    def events(self) -> list[Any]:
        return [order.event for order in self.orders if isinstance(order, TellEvent)]

    def narration(self) -> list[str]:
        """The events in the words of the table."""
        return [self.game.describe_event(event) for event in self.events()]

    def facts(self, kind: type) -> list[Any]:
        return [order.fact for order in self.orders if isinstance(order, AnnounceFact) and isinstance(order.fact, kind)]

    def answers(self, entrant: int, status: DecisionStatus) -> list[DecisionResult]:
        return [o for o in self.orders if isinstance(o, DecisionResult) and o.entrant == entrant and o.status is status]

    def orders_to(self, entrant: int, orders: Sequence[Order] | None = None) -> list[Any]:
        """Return what one entrant sees: its own answers, prompts and strikes, and its view of each event."""
        heard: list[Any] = []
        for order in self.orders if orders is None else orders:
            match order:
                case DecisionResult() | Ask() | Withdraw():
                    heard += [order] if order.entrant == entrant else []
                case TellStrike(struck):
                    heard += [order] if struck.entrant == entrant else []
                case TellEvent(event):
                    public, private = self.game.redact(event)
                    game = self.referee.current_game
                    number = len(self.referee.results) - 1 if game is None else game.number
                    heard.append((public, private.get(self.referee.terms.seat_of(EntrantIndex(entrant), number))))
                case AnnounceFact(fact):
                    heard.append(fact)
                case _:
                    pass
        return heard

    # ---- replay from the records

    def replay(self) -> tuple[Replay, list[Order]]:
        """Replay the match from its records; return the replay at its end and all its orders."""
        replay = Replay(self.paper.records, {self.game.name: self.game})
        return replay, [order for moment in replay.moments() for order in moment.orders]

    def check_replay(self) -> None:
        """Hold the replay against what happened."""
        replay, orders = self.replay()
        assert repr(orders) == repr(self.orders)
        assert referee_state(replay.referee) == referee_state(self.referee)


def referee_state(referee: Referee) -> dict[str, Any]:
    """All that can be seen of a referee, as comparable values."""
    found: dict[str, Any] = {
        "results": referee.results,
        "ended": referee.ended,
        "due": referee.due,
        "conducts": [
            (
                c.strikes,
                c.auto_in_row,
                c.missed_in_row,
                c.gone,
                c.clock.disconnected_since,
                c.clock.allowance_us,
                (c.clock.purse_us, c.clock.round_trip_us),
                c.decision_count,
                c.think_us,
            )
            for c in referee.entrant_records
        ],
        "prompts": [referee.prompts_of(entrant) for entrant in referee.terms.entrant_indices],
    }
    if referee.current_game is not None:
        game, state = referee.terms.game, referee.current_game.state
        viewers = [None, *map(Seat, range(len(referee.entrant_records)))]
        found["game"] = repr([game.snapshot(state, viewer) for viewer in viewers])
    return found


def make_driver(
    game: Game = RAID,
    entrants: int = 3,
    style: str = "sealed",
    *,
    games: int = 1,
    seating: Seating = Seating.FIXED,
    preset: str | None = None,
    options: dict[str, object] | None = None,
    dice: Iterable[int] = (),
    chance: Any = None,
    no_deadlines: bool = False,
    match_id: str = "M",
    anonymous: bool = False,
    **pace: object,
) -> MatchDriver:
    """Lay out a match: `bench(RAID, 2, turn_ms=500, games=3)`. It has not begun."""
    preset = preset or game.presets[0]
    terms = Terms(
        game=game,
        preset=preset,
        ruleset=game.build_ruleset(preset, options or {}),
        pace=replace(build_pace(style, pace), no_deadlines=no_deadlines),
        entrants=NAMES[:entrants],
        game_count=games,
        seating=seating,
        anonymous=anonymous,
    )
    return MatchDriver(terms.check(), chance or ScriptedChance(dice), match_id)


def start_match(*args: Any, **kwargs: Any) -> MatchDriver:
    """Lay out a match and begin it at instant 0."""
    made = make_driver(*args, **kwargs)
    made.begin()
    return made


__all__ = [
    "MS",
    "NAMES",
    "RAID",
    "DecisionStatus",
    "MatchDriver",
    "S",
    "ScriptedChance",
    "StrikeKind",
    "make_driver",
    "referee_state",
    "start_match",
]
