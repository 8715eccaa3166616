"""Raid for bots: what a new game brings along in the SDK. Options are the names and fields of values."""

from dataclasses import dataclass
from typing import Any

from cheatarena.game import Game, QuestionKind
from cheatarena.game_state import GameState, build_fact_reader
from cheatarena.match_table import MatchTable
from cheatarena.player import Player
from tests.support.toy_wire import decode_raid, raid_decision


@dataclass(frozen=True, slots=True)
class RaidAnswer:
    """An action in its text form: `aim 1`, `take 2`, `block`."""

    text: str
    note: str = ""


class RaidState(GameState):
    """What all games have."""

    read = staticmethod(build_fact_reader({}, {}))


def _ask(bot: "RaidBot", table: MatchTable, options: tuple[str, dict[str, Any]]) -> RaidAnswer:
    return RaidAnswer(bot.answer(table, *options))


RAID_FOR_BOTS = Game(
    name="raid",
    state=RaidState,
    table=MatchTable,
    read_ruleset=lambda _message, _seat_count: None,
    kinds={"cheater_act": QuestionKind("answer", _ask, (RaidAnswer,), read=decode_raid)},
    write_action=lambda answer: raid_decision(answer.text).SerializeToString(),
    read_answer=decode_raid,
)


class RaidBot(Player):
    """Aims at its neighbour, takes all there is, blocks when it has an odd seat."""

    game = RAID_FOR_BOTS

    def answer(self, table: MatchTable, kind: str, options: dict[str, Any]) -> str:
        """Answer in the text form of actions."""
        if kind == "AimOptions":
            return f"aim {options['targets'][0]}"
        if kind == "TakeOptions":
            return f"take {options['most']}"
        return "block" if table.seat % 2 else "allow"
