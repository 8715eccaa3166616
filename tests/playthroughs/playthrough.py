"""Whole small games as readable texts: every input, every event, every seat's view at every step.

`python -m tests.playthroughs.playthrough --write` rewrites the files; without the flag it prints the texts.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from arena.games.catalogue import games, phrasing_of
from arena.match.game import Game, Seat
from arena.match.referee.inputs import Answer, Drawn
from arena.match.referee.orders import AnnounceFact, Ask, TellEvent
from arena.match.referee.replay import Moment, Replay
from arena.practice import play
from arena.replays.narration.phrasing import Phrasing
from cheatarena import Bot, Call, Decline
from tests.playthroughs.players import play_game

SEATS = {"standard": 3, "folk": 3, "rank_lock": 3, "ascending": 4}
"""Games that are told, by preset."""
TURNS = 18

HEAD = """\
# A whole game of cheat/{preset} with {seats} seats, cut after {turns} turns, as every seat knew it at every step.
# Written by:  python -m tests.playthroughs.playthrough --write
# What changes here has changed in the rules, in what a seat may know, or in how it is told: look before you keep it.
"""


class Player(Bot):
    """Player that plays true cards or lies and calls now and then, all from its own seed."""

    def turn(self, table, options):
        if table.random.random() < 0.6 and (honest := options.largest_honest()):
            return honest
        return options.random_play(table.random)

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) or table.random.random() < 0.15 else Decline()


def file(preset: str) -> Path:
    """Return the path of a game's text."""
    return Path(__file__).with_name(f"cheat_{preset}.txt")


def text(preset: str) -> str:
    """Play the game and return its text."""
    seats = SEATS[preset]
    head = HEAD.format(preset=preset, seats={3: "three", 4: "four"}[seats], turns=TURNS)
    return head + "".join(f"{line}\n" for line in Playthrough(_records(preset, seats), games()).lines())


def _records(preset: str, seats: int) -> tuple[bytes, ...]:
    """Bots play the standard game; the others are played by the rules' own options."""
    if preset == "standard":
        return play([Player] * seats, options={"max_turns": TURNS}, seed=5, clock=lambda: 0).records
    return play_game(preset, seats, max_turns=TURNS)


class Playthrough:
    """Narrator of a match, from its records, input by input."""

    def __init__(self, records: Sequence[bytes], games: Mapping[str, Game]) -> None:
        self.replay = Replay(records, games)
        self.game = self.replay.terms.game
        self.voice: Phrasing = phrasing_of(self.game)

    def lines(self) -> Iterator[str]:
        for number, moment in enumerate(self.replay.moments()):
            yield ""
            yield from _row(f"step {number}", self._input(moment), 0)
            for order in moment.orders:
                yield from self._order(order)
            if any(isinstance(order, TellEvent) for order in moment.orders):
                yield from self._views()

    def _input(self, moment: Moment) -> str:
        entry = moment.entry
        match entry:
            case Answer():
                return f"entrant {entry.entrant} {self.voice.describe_action(entry.action)}   [{entry.text}]"
            case Drawn():
                return f"drawn: {' '.join(map(str, entry.values))}"
            case _:
                return entry.kind.name.lower()

    def _order(self, order: Any) -> Iterator[str]:
        match order:
            case TellEvent(event):
                yield from _row("event", self.game.describe_event(event), 2)
                public, private = self.game.redact(event)
                yield from _row("everybody", "nothing" if public is None else self.voice.describe_part(public), 4)
                for seat, parts in sorted(private.items()):
                    for part in parts:
                        yield from _row(f"seat {seat}", self.voice.describe_part(part), 4)
            case Ask(entrant, prompt):
                options = self.voice.describe_options(prompt.kind, prompt.options)
                yield from _row("asked", f"entrant {entrant}, {prompt.kind}: {options}", 2)
            case AnnounceFact(fact):
                yield from _row("told", str(fact), 2)
            case _:
                return

    def _views(self) -> Iterator[str]:
        """Return every viewer's current view."""
        playing = self.replay.referee.current_game
        if playing is None:
            return
        yield "  seen"
        for viewer in (*map(Seat, range(len(self.replay.terms.entrants))), None):
            seen = self.game.snapshot(playing.state, viewer)
            rows = dict(self.voice.snapshot_rows(seen, Seat(-1) if viewer is None else viewer))
            if viewer is None:
                assert seen.hand is None
                del rows["hand"]
            told = "; ".join(f"{label}: {value}" for label, value in rows.items())
            yield from _row("spectator" if viewer is None else f"seat {viewer}", told, 4)


def _row(label: str, told: str, indent: int) -> list[str]:
    first = f"{'':{indent}}{label:<{14 - indent}} "
    return wrap(told, 116, initial_indent=first, subsequent_indent=" " * 15, break_on_hyphens=False)


if __name__ == "__main__":
    for name in SEATS:
        if sys.argv[1:] == ["--write"]:
            file(name).write_text(text(name), encoding="utf-8")
        else:
            print(text(name), end="")
