"""Entrants by rule: `bots = "…"` in the file of a league becomes explicit entrants at the end of its text.

    bots = "active in pool NAME"    the active version of each bot whose bot.toml names the pool
    bots = "cut FILE"               the version of each bot that counted at a deadline (`arena course cut`)

What is sealed is the text with these entrants. So the league keeps the versions that were taken, whichever are active
later, and everybody who has the text sees them. A file is read together with the sealed text of its league, if there is
one. An entrant that the file itself names is not taken again.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from arena.bots.launch.naming import normalize_program_name
from arena.bots.launch.programs import REMOTE_PREFIX, SAMPLE_PREFIX, SUBMITTED_PREFIX, SubmittedBots, resolve_path
from arena.bots.submissions.submission import Submission
from arena.errors import BannedError, NotationError, OptionError
from arena.text_files import decode_text
from arena.typed_command import plain_command

TAKEN_MARK: Final = "# Taken by the rule `bots`:"
"""The line before the entrants that a rule has taken."""
_ACTIVE: Final = "active in pool "
_CUT: Final = "cut "
_RULE: Final = 'expected "active in pool NAME" or "cut FILE"'


@dataclass(frozen=True, slots=True)
class TakenBot:
    bot: str
    version: str
    owner: str

    @property
    def lines(self) -> str:
        """The entrant as TOML."""
        bot, owner = (json.dumps(text, ensure_ascii=False) for text in (f"{SUBMITTED_PREFIX}{self.label}", self.owner))
        return f"[[entrants]]\nbot = {bot}\nowner = {owner}\n"

    @property
    def label(self) -> str:
        return f"{self.bot}@{self.version}"


class KnownBots(SubmittedBots, Protocol):
    """The bots and leagues of a data folder."""

    def list_active(self, pool: str) -> Sequence[Submission]:
        """Return the active versions whose bot.toml names the pool, by name, without those of banned owners.

        Raises BotStartError if there is no store.
        """

    def find_league_text(self, name: str) -> str | None:
        """Return the sealed text of a league; None if there is none."""


OpenSubmitted = Callable[[Path | None], KnownBots]
"""Returns the bots of a data folder; None stands for the data folder of the command."""


def expand_rule(text: str, given: Mapping[str, Any], folder: Path | None, open_submitted: OpenSubmitted | None) -> str:
    """Return a league's text with the entrants its rule selects; unchanged if it has no rule, or lists them already.

    `given` is the parsed text. Paths are relative to `folder`; without it, a rule that names a file is refused. Raises
    OptionError for a rule that is unknown or selects nobody, and NotationError for a bad file.
    """
    rule = given.get("bots")
    if not isinstance(rule, str) or TAKEN_MARK in text:
        return text
    sealed = None if open_submitted is None else open_submitted(None).find_league_text(str(given.get("name", "")))
    if sealed is not None and TAKEN_MARK in sealed:
        taken = _read_taken(sealed)
    elif rule.startswith(_CUT) and folder is not None:
        taken = _read_cut(resolve_path(folder, rule.removeprefix(_CUT)))
    elif rule.startswith(_ACTIVE) and open_submitted is not None:
        source = given.get("submitted_from")
        elsewhere = resolve_path(folder, source) if folder is not None and isinstance(source, str) else None
        known = open_submitted(elsewhere)
        active = known.list_active(rule.removeprefix(_ACTIVE))
        taken = [TakenBot(each.bot, each.version, each.owner) for each in active]
    else:
        raise OptionError("bots", rule, _RULE)
    named = _list_named(given)
    if not (taken := [each for each in taken if each.bot not in named]) and not named:
        raise OptionError("bots", rule, "no submitted bot fits this rule")
    return "\n".join([text.rstrip(), "", TAKEN_MARK, *(each.lines for each in taken)])


def expand_cut(text: str, given: Mapping[str, Any], folder: Path) -> str:
    """Return a league's text for a server, which has no file of a cut: with the cut's entrants. Raises as above."""
    rule = given.get("bots")
    return expand_rule(text, given, folder, None) if isinstance(rule, str) and rule.startswith(_CUT) else text


def name_ways_out(rule: str, error: Exception) -> str:
    """Return the remedies for a bot that cannot enter, as the end of a sentence; often empty."""
    ways = [f"lift the ban with `{plain_command('owner', 'unban')}`"] if isinstance(error, BannedError) else []
    if rule.startswith(_CUT):
        ways.append("leave the bot out by a new cut, to a new file")
    elif ways:
        ways.append("leave the bot out")
    return f"; {', or '.join(ways)}" if ways else ""


def _list_named(given: Mapping[str, Any]) -> set[str]:
    """Return the names of the entrants that the file names itself. What is no text is refused later."""
    entrants = given.get("entrants")
    named = set()
    for each in entrants if isinstance(entrants, list) else ():
        if isinstance(each, dict) and isinstance(text := each.get("name") or each.get("bot"), str):
            for prefix in (SUBMITTED_PREFIX, REMOTE_PREFIX, SAMPLE_PREFIX):
                text = text.removeprefix(prefix)
            named.add(normalize_program_name(text.partition("@")[0]))
    return named


def _read_taken(sealed: str) -> list[TakenBot]:
    taken = []
    for each in tomllib.loads(sealed.partition(TAKEN_MARK)[2]).get("entrants", ()):
        bot, _, version = each["bot"].removeprefix(SUBMITTED_PREFIX).rpartition("@")
        taken.append(TakenBot(bot, version, each["owner"]))
    return taken


def _read_cut(path: Path) -> list[TakenBot]:
    """Raises NotationError."""
    expected = "a file that `course cut` wrote"
    try:
        bots = json.loads(decode_text(path.read_bytes(), str(path)))["bots"]
        return [TakenBot(str(each["bot"]), str(each["version"]), str(each["owner"])) for each in bots]
    except OSError as error:
        raise NotationError(str(path), f"{expected} ({error.strerror})") from error
    except (ValueError, LookupError, TypeError) as error:
        raise NotationError(str(path), expected) from error
