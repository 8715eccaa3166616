"""Finds and checks the match, the seat and the questions of a rerun before anything starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.author.rerun.recorded_prompts import RecordedPrompt, find_recorded_prompts
from arena.author.rerun.rerun_seat import RecordedMatch
from arena.errors import RequestError
from arena.games.catalogue import games
from arena.match.game import Game
from arena.match.referee.deal_serialization import revealed_deal_from_plain
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.match.referee.terms import terms_from_plain
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.seat_narration import SeatSelector
from arena.replays.narration.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.narration.text_format import join_words

_MAX_NAMED_TURNS = 12


@dataclass(frozen=True, slots=True)
class RerunCase:
    """The match, seat and questions to rerun."""

    entry: LibraryEntry
    recorded: RecordedMatch
    entrant: EntrantIndex
    prompts: Sequence[RecordedPrompt]
    """The questions to compare."""
    is_part: bool
    """Whether the rerun ends after the last of these questions."""
    is_turn: bool
    """Whether the user chose a single turn."""

    @property
    def name(self) -> str:
        return self.entry.entrants[self.entrant]

    @property
    def game(self) -> Game:
        return games()[self.entry.terms["game"]]

    @property
    def until(self) -> PromptId | None:
        """The question after which the rerun ends; None if it plays to the end of the match."""
        return self.prompts[-1].prompt_id if self.is_part else None


async def find_rerun_case(
    library: Library, prefix: str, place: tuple[int | None, str | None], game: int | None, turn: int | None
) -> RerunCase:
    """Find a match by a prefix of its id, and a seat in it; `place` is the seat's number and the entrant's name.

    Raises RequestError or UnknownNameError if match, seat or questions do not exist or cannot be rerun.
    """
    entry, known = await library.find(prefix), games()
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} is still running")
    check_game(entry, game)
    choice = select_seat(entry, *place)
    if choice is None:
        raise RequestError("choose the seat that the bot takes: --entrant NAME or --seat K")
    records, remark = library.records(entry) if can_replay(entry, known) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    entrant = _find_entrant(entry, choice, known, game or 0)
    wanted_game = 0 if game is None and turn is not None else game
    all_prompts = find_recorded_prompts(records, known, entrant)
    prompts = _select_prompts(entry.entrants[entrant], all_prompts, wanted_game, turn)
    opened = None if entry.deal is None else entry.deal.revealed
    revealed = None if opened is None else revealed_deal_from_plain(opened)
    recorded = RecordedMatch(entry.match_id, entry.number, records, revealed)
    return RerunCase(entry, recorded, entrant, prompts, is_part=wanted_game is not None, is_turn=turn is not None)


def _find_entrant(entry: LibraryEntry, choice: SeatSelector, known: Mapping[str, Game], game: int) -> EntrantIndex:
    terms = terms_from_plain(entry.terms, known)
    by_seat = {terms.seat_of(entrant, game): entrant for entrant in terms.entrant_indices}
    seats = [by_seat[seat] for seat in sorted(by_seat)]
    return seats[choice(seats)]


def _select_prompts(
    name: str, prompts: Sequence[RecordedPrompt], game: int | None, turn: int | None
) -> list[RecordedPrompt]:
    """Return the questions of the given game and turn. Raises RequestError if there are none.

    `name` is the entrant's name. The error names the nearest turns that have questions.
    """
    in_game = [each for each in prompts if game is None or each.game == game]
    selected = [each for each in in_game if turn is None or each.turn == turn]
    if selected:
        return selected
    where = "" if game is None else f" in game {game}"
    if not in_game or turn is None:
        raise RequestError(f"{name} was asked nothing{where}")
    turns = sorted({each.turn for each in in_game}, key=lambda each: abs(each - turn))[:_MAX_NAMED_TURNS]
    nearest = f"turn{'s' if len(turns) > 1 else ''} {join_words(sorted(turns))}"
    raise RequestError(f"{name} was asked nothing at turn {turn}{where}, but at {nearest}")
