"""Shows a match that one's own bot has played on a server."""

from typing import TYPE_CHECKING

from arena.cli.author import ask_server, find_own_entrant, find_own_match, own_match_as_dict
from arena.cli.console import print_json
from arena.cli.exit_codes import ExitCode
from arena.cli.replay.show import print_shown, select_shown
from arena.cli.replay.show_options import ShowOptions
from arena.cli.replay.text import own_header_lines
from arena.errors import RequestError
from arena.server.wire.narration_line import NarrationLine

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnMatch, ReplayLine


def show_own_match(
    server: str, prefix: str, which: tuple[int | None, int | None, str | None], how: ShowOptions, *, is_json: bool
) -> int:
    """Print a match as the bot's seat knew it. `which` is the game, the seat and the entrant that were asked for.

    Raises what `ask_server` and `find_own_match` raise.
    """
    game, seat, entrant = which
    if seat is not None:
        raise RequestError("--seat needs the data folder: a server shows an author only the seat of the own bot")

    async def read(author: "AuthorClient") -> "tuple[OwnMatch, list[ReplayLine], str]":
        match_id = await find_own_match(author, prefix)
        number = None if entrant is None else find_own_entrant(await author.match(match_id), entrant)
        return await author.replay_with_match(match_id, game=game, entrant=number)

    match, told, remark = ask_server(server, read)
    lines = [NarrationLine(e.kind, e.text, e.game, e.at_us, e.turn, e.rows, e.data) for e in told]
    names = [name or f"entrant {number}" for number, name in enumerate(match.entrants)]
    shown = select_shown(lines, remark, match.game, names, how)
    if is_json:
        print_json(
            own_match_as_dict(match) | {"lines": [line.as_dict() for line in shown.lines], "remark": remark or None}
        )
        return ExitCode.YES
    print_shown(own_header_lines(match), shown, how)
    return ExitCode.YES
