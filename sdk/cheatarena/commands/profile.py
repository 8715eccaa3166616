"""`python -m cheatarena profile BOT` shows and changes what the web pages of a server say of a bot."""

import argparse
from dataclasses import asdict, replace

from cheatarena.account import AccountClient, BotProfile
from cheatarena.commands.arguments import ONLY_SERVER, Commands, add_command, add_json, add_server
from cheatarena.commands.output import Found, Line, present
from cheatarena.commands.own_server import call_as_owner, open_credentials
from cheatarena.errors import RequestError


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "profile",
        _run,
        summary="show or change what the server's web pages say of your bot",
        description='Everybody may read it. What no option names stays; "" removes it.',
    )
    parser.add_argument("bot", metavar="BOT", help="a bot of yours")
    parser.add_argument("--text", help="one line, at most 300 characters")
    parser.add_argument("--language", help="the language in which it is written")
    parser.add_argument("--link", metavar="URL", help="a web page, such as that of its source")
    add_server(parser, default=ONLY_SERVER)
    add_json(parser)


def change_profile(bot: str, address: str, **given: str | None) -> BotProfile:
    """Change the fields of a bot's profile that are not None, if any, and return the profile.

    Raises RequestError for a bot of others, SettingsError, and the errors of `AccountClient`.
    """
    changes = {name: value for name, value in given.items() if value is not None}

    async def change(client: AccountClient) -> BotProfile:
        known = (await client.list_bots()).profiles
        if bot not in known:
            raise RequestError(f"unknown bot of yours {bot!r}; known: {', '.join(sorted(known))}")
        profile = replace(known[bot], **changes)
        if changes:
            await client.describe_bot(bot, profile)
        return profile

    return call_as_owner(*open_credentials(address), change)


def describe_profile(profile: BotProfile) -> Found:
    """Return a profile, with a line for each field that says something."""
    said = asdict(profile)
    lines = [Line(f"{name}: {value}") for name, value in said.items() if value]
    return Found(said, lines or [Line("nothing is said of it")])


def _run(asked: argparse.Namespace) -> None:
    changed = change_profile(asked.bot, asked.server, text=asked.text, language=asked.language, link=asked.link)
    present(describe_profile(changed), asked.json)
