"""Stores what owners say of their bots, which the web pages show to everybody.

So that a profile can do nothing but be read, it has only visible characters, and its link leads nowhere but to a web
page whose whole address is shown.
"""

import re
import unicodedata
from dataclasses import asdict
from typing import Final

from sqlalchemy import Connection, select, update

from arena.errors import OptionError, UnknownNameError
from arena.names import has_hidden_characters
from arena.server.store.account_values import BotProfile
from arena.server.store.bans import banned_owners, refuse_banned
from arena.server.store.database import StorePart, reads, writes
from arena.server.store.tables import BOTS

MAX_TEXT: Final = 300
MAX_LANGUAGE: Final = 32
MAX_LINK: Final = 200
_MAX_MARKS: Final = 3
"""The most marks on one letter. More of them would cover the lines above and below."""
_LINK: Final = re.compile(
    r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:[/?#][\w!#$%&()*+,./:;=?@~\[\]-]*)?",
    re.ASCII | re.IGNORECASE,
)


class ProfileStore(StorePart):
    @reads
    def find(self, connection: Connection, bot: str) -> BotProfile:
        """Return what everybody may read: an empty profile if there is none, and while the owner is banned."""
        row = connection.execute(select(BOTS.c.owner, BOTS.c.profile).where(BOTS.c.name == bot)).first()
        if row is None or row.owner in banned_owners(connection):
            return BotProfile()
        return BotProfile(**row.profile)

    @writes
    def change(self, connection: Connection, owner: str, bot: str, profile: BotProfile) -> None:
        """Replace the profile of an owner's bot.

        Raises OptionError for a value that pages do not show, UnknownNameError if the owner has no such bot, and
        BannedError for a banned owner.
        """
        check_profile(profile)
        refuse_banned(connection, owner)
        own = BOTS.c.owner == owner, BOTS.c.name == bot
        if connection.execute(update(BOTS).where(*own).values(profile=asdict(profile))).rowcount == 0:
            raise UnknownNameError("bot", bot)

    @writes
    def clear(self, connection: Connection, bot: str) -> None:
        """Remove the profile of a bot at an organizer's request. Raises UnknownNameError."""
        if connection.execute(update(BOTS).where(BOTS.c.name == bot).values(profile={})).rowcount == 0:
            raise UnknownNameError("bot", bot)


def check_profile(profile: BotProfile) -> None:
    """Raises OptionError for a text that is too long or not visible, and for a link that is no plain web address."""
    _check_visible("text", profile.text, MAX_TEXT)
    _check_visible("language", profile.language, MAX_LANGUAGE)
    if len(profile.link) > MAX_LINK or (profile.link and not _LINK.fullmatch(profile.link)):
        expected = f"expected a web address such as https://example.org/bot, at most {MAX_LINK} characters"
        raise OptionError("link", profile.link[:MAX_LINK], expected)


def _check_visible(name: str, text: str, most: int) -> None:
    kinds = "".join(unicodedata.category(each)[0] for each in unicodedata.normalize("NFD", text))
    if len(text) > most or has_hidden_characters(text) or "M" * (_MAX_MARKS + 1) in kinds:
        raise OptionError(name, text[:most], f"expected one line of at most {most} visible characters")
