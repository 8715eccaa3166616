"""Renders the games that cost the candidate most places as text."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Final

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.compare.text import replay_file_name
from arena.cli.replay.text import header_lines, line_texts
from arena.competition.compare.scores import CostlyGame
from arena.games.catalogue import games, phrasing_of
from arena.plurals import format_count
from arena.replays.library.library import Library
from arena.replays.narration.move_numbers import number_lines
from arena.replays.narration.narrate import narrate

_SEPARATOR: Final = "=" * 100


async def render_replays(losses: Sequence[CostlyGame], roles: Mapping[str, str], library: Library) -> dict[str, str]:
    """Return the texts of these games by file name. `roles` maps names at the table to roles.

    Each text has three chapters:

    1. what the candidate knew, decision by decision;
    2. the whole game, with all hands;
    3. the baseline's game with the same hand.

    Raises RequestError if a game is still being played.
    """
    return {
        replay_file_name(number): "\n".join([line async for line in _render_lines(loss, roles, library)]) + "\n"
        for number, loss in enumerate(losses, 1)
    }


async def _render_lines(loss: CostlyGame, roles: Mapping[str, str], library: Library) -> AsyncIterator[str]:
    chapters: Iterable[tuple[str, str, int | None]] = (
        (f"what the candidate knew, in seat {loss.seat}", loss.match_id, loss.seat),
        ("the whole game, with all hands", loss.match_id, None),
        (f"the baseline in seat {loss.seat}: the same hand, the same opponents", loss.same_hand, None),
    )
    places = format_count(loss.places, "place", "g")
    yield f"The candidate finished {places} below the baseline, which held the same hand."
    for title, match_id, seat in chapters:
        entry, lines, remark = await narrate(library, match_id, games(), phrasing_of, seat=seat)
        who = ", ".join(f"seat {seat} is {name}: {roles[name]}" for seat, name in enumerate(entry.entrants))
        texts = [f"\n{_SEPARATOR}", f"{title}\n{_SEPARATOR}", *header_lines(entry), who]
        numbered = number_lines(lines, phrasing_of(games()[entry.terms["game"]]))
        for text in [*texts, *(text for line, turn in numbered for text in line_texts(line, turn)), remark]:
            yield "\n".join(map(sanitize_for_terminal, text.split("\n")))
