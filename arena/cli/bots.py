"""`arena bots`: an author's own bots on a server, and their tokens in the credentials file."""

from typing import Annotated

import typer

from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.present import present
from arena.cli.replay.text import present_found
from arena.cli.store_access import plain_fields, token_lines

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.command("list")
def list_(server: OwnServerOption = "", json: JsonOption = False) -> None:
    """List your bots with their valid tokens."""
    from cheatarena.commands.own_server import call_as_owner, open_credentials

    own = call_as_owner(*open_credentials(server), lambda client: client.list_bots())
    bots = {
        name: [plain_fields(token, "handle", "expires_at", "last_used_at") for token in tokens]
        for name, tokens in own.bots.items()
    }
    present({"owner": own.owner, "bot_limit": own.bot_limit, "bots": bots}, json, token_lines(own.bots))


@app.command()
def create(name: Annotated[str, typer.Argument(help="Name of the bot.")], server: OwnServerOption = "") -> None:
    """Create a bot, or give a bot without a valid token a new one, and keep the token in the credentials file."""
    from cheatarena.commands.create import create as create_bot

    print(create_bot(name, server))


@app.command()
def profile(
    name: Annotated[str, typer.Argument(metavar="BOT", help="A bot of yours.")],
    text: Annotated[str | None, typer.Option(help="One line, at most 300 characters.")] = None,
    language: Annotated[str | None, typer.Option(help="The language in which it is written.")] = None,
    link: Annotated[str | None, typer.Option(metavar="URL", help="A web page, such as that of its source.")] = None,
    server: OwnServerOption = "",
    json: JsonOption = False,
) -> None:
    """Show or change what the web pages say of your bot. Everybody may read it.

    What no option names stays; `""` removes it.
    """
    from cheatarena.commands.profile import change_profile, describe_profile

    present_found(describe_profile(change_profile(name, server, text=text, language=language, link=link)), json)


@app.command()
def rotate(
    name: Annotated[str, typer.Argument(metavar="NAME-OR-HANDLE", help="A bot, yourself, or the handle of a token.")],
    overlap: Annotated[
        float, typer.Option(metavar="HOURS", help="Hours for which the old token stays valid, 0 to 720.")
    ] = 24.0,
    server: OwnServerOption = "",
) -> None:
    """Replace a token by a new one, and keep the new token in the credentials file."""
    from cheatarena.commands.rotate import rotate as rotate_token

    print(rotate_token(name, overlap, server))


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(metavar="NAME-OR-HANDLE", help="A bot, or the handle of a token.")],
    server: OwnServerOption = "",
) -> None:
    """Revoke tokens of yours. Sessions that were opened with them end within a second."""
    from cheatarena.commands.revoke import revoke as revoke_tokens

    print(revoke_tokens(name, server))
