"""A match on a workbench: time moves when a test says so, and everything that leaves the referee is kept.

Instants are microseconds from the start; `S` and `MS` make them readable: `bench.send(1, "block", at=2 * S + 1)`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from arena.match.facts import FaultKind, Struck
from arena.match.orders import Announce, Answer, Ask, Order, PromptView, Status, Strike, Tell, Withdraw
from arena.match.pace import pace_from
from arena.match.ports import MatchId
from arena.match.referee import Referee
from arena.match.replay import Replay
from arena.match.table import Table
from arena.match.terms import Seating, Terms
from arena.rules.game import Chance, Game, Seat, Style
from tests.support.toy_game import RAID

MS = 1_000
S = 1_000_000

NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim")


class Paper:
    """A journal that keeps its records in memory."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    def append(self, record: bytes) -> None:
        self.records.append(record)

    def flush(self) -> None:
        """Nothing is written anywhere."""


class Fate:
    """Dice as scripted, then always the same face; decks in their original order."""

    def __init__(self, dice: Iterable[int] = ()) -> None:
        self._dice = iter([*dice])

    def draw(self, game: int, chance: Chance) -> Sequence[int]:
        if not chance.faces:
            return range(chance.count)
        return [next(self._dice, 0) % chance.faces for _ in range(chance.count)]


class Bench:
    """A table, its time and all that it has said."""

    def __init__(self, terms: Terms, chance: Any = None) -> None:
        self.terms = terms
        self.game = terms.game
        self.paper = Paper()
        self.orders: list[Order] = []
        self.table = Table(7, MatchId("M"), terms, self.paper, chance or Fate(), self)
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
        return self._input(self.table.begin, at, absent)

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
    ) -> Answer:
        """Send a decision for the entrant's open prompt and give the answer to it.

        What is due before it happens first; `is_read_first`: the referee hears of it before anything else that is due.
        Without `ends_instant` more may come in the same instant before a live call is settled.
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
        told = self._input(self.table.answer, at, entrant, prompt, action_id, action)
        playing = self.referee.playing
        if ends_instant and playing is not None and any(g.settles_at is not None for g in playing.open.values()):
            self.table.tick(at + 1, at + 1)
        mine = [order for order in told if isinstance(order, Answer) and order.action_id == action_id]
        return mine[0]

    def ready(self, entrant: int, at: int) -> list[Order]:
        return self._timed(self.table.ready, at, entrant)

    def leave(self, entrant: int, at: int) -> list[Order]:
        return self._timed(self.table.leave, at, entrant)

    def lost(self, entrant: int, at: int) -> list[Order]:
        return self._timed(self.table.lost, at, entrant)

    def back(self, entrant: int, at: int) -> list[Order]:
        return self._timed(self.table.back, at, entrant)

    def cancel(self, at: int, termination: str = "cancelled") -> list[Order]:
        return self._timed(self.table.cancel, at, termination)

    def stall(self, at: int, us: int, *, is_caught_up: bool = True) -> None:
        """The server stood still from `at` on for so long, and hears about it afterwards.

        Without `is_caught_up` what was due shortly before has not been done yet.
        """
        if is_caught_up:
            self.catch_up(at)
        self._input(self.table.credit, at + us, us)

    def reject(self, entrant: int, prompt: int, action_id: int, reason: str, at: int) -> list[Order]:
        return self._timed(self.table.reject, at, entrant, prompt, action_id, reason)

    def until(self, at: int) -> list[Order]:
        """Do all that is due at or before an instant, one due at a time, each in its own instant."""
        return self._run(lambda due: due <= at, at)

    def just_before(self, at: int) -> list[Order]:
        """Do all that is due before an instant."""
        return self._run(lambda due: due < at, at - 1)

    def catch_up(self, at: int) -> list[Order]:
        """Do what comes before a message of this instant: in live all that is due then, in sealed what was due before.

        Live: spec A11, equal instants. Sealed: an answer that arrives at its deadline counts.
        """
        return self.until(at) if self.terms.pace.style is Style.LIVE else self.just_before(at)

    def go_on(self, stop: Callable[[], object], sleeps: Callable[[int, str], bool] = lambda *_: False) -> None:
        """Play until `stop`: who is asked answers at once with the automatic action.

        Where all those who are asked sleep (entrant, kind of prompt), time passes to the next deadline.
        """
        for _ in range(10_000):
            if stop():
                return
            awake = [(e, p) for e in self.entrants() for p in self.prompts(e) if not sleeps(e, p.kind)]
            if awake:
                self.answer(*awake[0])
            elif self.due is not None:
                self.until(self.due)
            else:
                break
        raise AssertionError("the match does not get there")

    def answer(self, entrant: int, view: PromptView) -> Answer:
        """Answer with the automatic action, but of one's own will."""
        seat = self.referee.seat_of(entrant)
        assert seat is not None
        return self.send(entrant, self.game.automatic(self.state, seat, view.kind), prompt=view.id)

    def play_on(self, at: int | None = None) -> None:
        """Everybody who is asked answers at once, until the game is over."""
        at = self.clock if at is None else at
        self.catch_up(at)
        self.clock = at
        number = len(self.referee.results)
        self.go_on(lambda: self.referee.playing is None or len(self.referee.results) > number)

    def _run(self, is_wanted: Callable[[int], bool], at: int) -> list[Order]:
        start = len(self.orders)
        for _ in range(10_000):
            due = self.due
            if due is None or not is_wanted(due):
                break
            self._input(self.table.tick, due)
        else:
            raise AssertionError(f"something stays due at {self.due}")
        self.clock = max(self.clock, at)
        return self.orders[start:]

    def _timed(self, act: Callable[..., None], at: int, *rest: Any) -> list[Order]:
        self.catch_up(at)
        return self._input(act, at, *rest)

    def _input(self, act: Callable[..., None], at: int, *rest: Any) -> list[Order]:
        start = len(self.orders)
        self.clock = max(self.clock, at)
        act(at, at, *rest)
        return self.orders[start:]

    # ---- what can be seen

    @property
    def state(self) -> Any:
        assert self.referee.playing is not None
        return self.referee.playing.state

    def entrants(self) -> range:
        return range(len(self.terms.entrants))

    def prompts(self, entrant: int) -> list[PromptView]:
        """Open prompts that the entrant has not answered."""
        return [view for view, is_answered in self.referee.prompts_of(entrant) if not is_answered]

    def prompt(self, entrant: int, kind: str = "") -> PromptView:
        """The one open prompt, of a kind."""
        found = [v for v, _ in self.referee.prompts_of(entrant) if kind in ("", v.kind)]
        assert len(found) == 1, f"entrant {entrant} has prompts {found}"
        return found[0]

    def asked(self, kind: str = "") -> list[int]:
        """Entrants with an open prompt that they have not answered."""
        return [e for e in self.entrants() if any(kind in ("", v.kind) for v in self.prompts(e))]

    def strikes(self, entrant: int) -> dict[str, int]:
        """Strikes by kind."""
        return {kind.value: count for kind, count in self.referee.conducts[entrant].strikes.items()}

    def struck(self, entrant: int) -> list[Struck]:
        """Strikes as they were told."""
        return [o.struck for o in self.orders if isinstance(o, Strike) and o.struck.entrant == entrant]

    def events(self) -> list[Any]:
        return [order.event for order in self.orders if isinstance(order, Tell)]

    def story(self) -> list[str]:
        """The events in the words of the table."""
        return [self.game.tell(event) for event in self.events()]

    def facts(self, kind: type) -> list[Any]:
        return [order.fact for order in self.orders if isinstance(order, Announce) and isinstance(order.fact, kind)]

    def answers(self, entrant: int, status: Status) -> list[Answer]:
        return [o for o in self.orders if isinstance(o, Answer) and o.entrant == entrant and o.status is status]

    def heard_by(self, entrant: int, orders: Sequence[Order] | None = None) -> list[Any]:
        """What one entrant is told: its own answers, prompts and strikes, and its view of each event."""
        heard: list[Any] = []
        for order in self.orders if orders is None else orders:
            match order:
                case Answer() | Ask() | Withdraw():
                    heard += [order] if order.entrant == entrant else []
                case Strike(struck):
                    heard += [order] if struck.entrant == entrant else []
                case Tell(event):
                    public, private = self.game.redact(event)
                    heard.append((public, private.get(Seat(self.referee.seats().index(entrant)))))
                case Announce(fact):
                    heard.append(fact)
                case _:
                    pass
        return heard

    # ---- the match from its records

    def replay(self) -> tuple[Replay, list[Order]]:
        """Play the match again from its records; gives the replay at its end and all its orders."""
        replay = Replay(self.paper.records, {self.game.name: self.game})
        return replay, [order for moment in replay.moments() for order in moment.orders]

    def check_replay(self) -> None:
        """Hold the replay against what happened."""
        replay, orders = self.replay()
        assert repr(orders) == repr(self.orders)
        assert standing(replay.referee) == standing(self.referee)


def standing(referee: Referee) -> dict[str, Any]:
    """All that can be seen of a referee, as comparable values."""
    found: dict[str, Any] = {
        "results": referee.results,
        "ended": referee.ended,
        "due": referee.due,
        "conducts": [
            (c.strikes, c.auto_in_row, c.missed_in_row, c.gone, c.lost_from, c.purse, c.decision_count, c.think_us)
            for c in referee.conducts
        ],
        "prompts": [referee.prompts_of(entrant) for entrant in range(len(referee.conducts))],
    }
    if referee.playing is not None:
        game, state = referee.terms.game, referee.playing.state
        viewers = [None, *map(Seat, range(len(referee.conducts)))]
        found["game"] = repr([game.snapshot(state, viewer) for viewer in viewers])
    return found


def bench(
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
    **pace: object,
) -> Bench:
    """Lay out a match: `bench(RAID, 2, turn_ms=500, games=3)`. It has not begun."""
    preset = preset or game.presets[0]
    terms = Terms(
        game=game,
        preset=preset,
        ruleset=game.ruleset(preset, options or {}),
        pace=replace(pace_from(style, pace), no_deadlines=no_deadlines),
        entrants=NAMES[:entrants],
        game_count=games,
        seating=seating,
    )
    return Bench(terms.check(), chance or Fate(dice))


def begun(*args: Any, **kwargs: Any) -> Bench:
    """Lay out a match and begin it at instant 0."""
    made = bench(*args, **kwargs)
    made.begin()
    return made


__all__ = ["MS", "NAMES", "RAID", "Bench", "Fate", "FaultKind", "S", "Status", "begun", "bench", "standing"]
