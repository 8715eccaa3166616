"""Raid for bots: what a new game adds to the SDK. The options of a question are a type's name and its fields."""

from dataclasses import dataclass
from typing import Any

from arena.games.sdk_values import SdkValues
from arena.plain_data import to_plain
from cheatarena.game import Game, QuestionKind, pass_through
from cheatarena.game_state import GameState, build_fact_reader
from cheatarena.match_table import MatchTable
from cheatarena.player import Player
from tests.support.toy_game import RAID, AimOptions, ReactOptions, TakeOptions
from tests.support.toy_wire import RAID_WIRE, decode_raid, raid_decision


@dataclass(frozen=True, slots=True)
class RaidAnswer:
    """An action in its text form: `aim 1`, `take 2`, `block`."""

    text: str
    note: str = ""


def _ask(bot: "RaidBot", table: MatchTable, options: tuple[str, dict[str, Any]]) -> RaidAnswer:
    return RaidAnswer(bot.answer(table, *options))


RAID_FOR_BOTS = Game(
    name="raid",
    state=GameState,  # Raid adds nothing to what all games share
    table=MatchTable,
    fact_handlers={},
    read_event=build_fact_reader({}, pass_through),
    read_ruleset=lambda _message, _seat_count: None,
    kinds={"cheater_act": QuestionKind("answer", _ask, (RaidAnswer,), read=decode_raid)},
    write_action=lambda answer: raid_decision(answer.text).SerializeToString(),
    read_answer=decode_raid,
)


RAID_VALUES = SdkValues(
    game=RAID,
    facts=dict.fromkeys(RAID_WIRE.facts, pass_through),
    legal_options={
        options: ("cheater_act", lambda value: (type(value).__name__, to_plain(value)))
        for options in (AimOptions, TakeOptions, ReactOptions)
    },
    ruleset=lambda _terms: None,
    actions={RaidAnswer: lambda answer: RAID.read_action(answer.text)},
)


class RaidBot(Player):
    """Aims at its neighbour, takes as much as it can, and blocks if its seat is odd."""

    game = RAID_FOR_BOTS

    def answer(self, table: MatchTable, kind: str, options: dict[str, Any]) -> str:
        """Return an action in its text form."""
        if kind == "AimOptions":
            return f"aim {options['targets'][0]}"
        if kind == "TakeOptions":
            return f"take {options['most']}"
        return "block" if table.seat % 2 else "allow"
