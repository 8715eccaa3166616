"""A game as one of the owner's bots knew it: its cards, questions, answers and notes, and the causes of its faults.

It has what `arena replay show --server` has. While the match runs, only its finished games can be seen.
"""

from dataclasses import replace

from arena.match.game import Seat
from arena.organizer.report.game_page import build_game_page, game_values
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.text_format import join_words
from arena.web.errors import RefusedError
from arena.web.page import PRIVATE, Asked, Page, Parameter, RenderedPage, page_at, render_page
from arena.web.pages.match import MATCH_ID
from arena.web.pages.owner.own_bot import BOT_NAME, find_own_match, require_own_bot
from arena.web.pages.replay import ReplayView, replay_view
from arena.web.sources import Sources


@page_at(
    "/me/bots/{name}/matches/{match_id}/games/{game}",
    "A game as your bot knew it",
    ReplayView,
    BOT_NAME,
    MATCH_ID,
    Parameter("game", "The number of the game, from 0.", int, in_path=True),
    Parameter("entrant", "The number of the entrant, if the bot plays with several.", int),
    is_private=True,
)
async def read_own_replay(asked: Asked) -> RenderedPage:
    bot = await require_own_bot(asked)
    summary, own = await find_own_match(asked, bot)
    game = asked.number_in_path("game") or 0
    entrant = asked.number("entrant", 0, len(summary.row.entrants) - 1)
    if entrant is not None and entrant not in own:
        raise RefusedError(403, f"entrant {entrant} is not your bot: expected {join_words(own, 'or')}")
    chosen = own[0] if entrant is None else entrant
    is_over = summary.row.state == "ended"
    if game >= (count := summary.row.terms["game_count"]):
        raise RefusedError(404, f"match {summary.row.match_id} has no game {game}: its games are 0 to {count - 1}")
    sources = asked.sources
    entry = sources.library.stored_entry(summary)
    return await sources.replays.make(
        ("own replay", entry.match_id, game, chosen, is_over),
        asked.address,
        lambda: render_page(_build_replay(sources, entry, bot, game, chosen)),
    )


def _build_replay(sources: Sources, entry: LibraryEntry, bot: str, game: int, entrant: int) -> Page:
    """Raises RefusedError if the game is not over, RequestError if it cannot be seen yet."""
    if not (entry.is_stored or entry.is_hidden) and game >= sources.library.count_finished(entry):
        raise RefusedError(403, f"game {game} is not over: of a running match, only finished games can be seen")
    own = replace(entry, faults=tuple(strike for strike in entry.faults if strike.entrant == entrant))
    page = build_game_page(
        sources.library, own, game, lambda seats: Seat(seats.index(entrant)), sources.games, sources.watched_game_of
    )
    values = {**game_values(page), "bot": bot, "game_count": entry.terms["game_count"]}
    return Page("own_replay.html", replay_view(page, None), values, PRIVATE)
