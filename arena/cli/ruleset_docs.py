"""Takes the documentation of a ruleset's options from the code, so that no description can become outdated.

The meaning of an option is the docstring under its field. The meaning of a choice is the docstring under its enum
member. The allowed values are quoted from the error that the option's reader raises for an invalid value.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, get_args, get_type_hints

from arena.cli.option_groups import field_texts
from arena.errors import OptionError
from arena.games.catalogue import pack_of
from arena.match.game import Game

OptionReader = Callable[[str, object], object]


@dataclass(frozen=True, slots=True)
class OptionDoc:
    name: str
    value: object
    """A plain value: text, number, boolean or list."""
    default: object
    allowed: str
    meaning: str
    choices: Mapping[str, str]
    """The words that the option accepts, with their meanings; empty if it takes no words."""


def preset_changes(game: Game, preset: str) -> Mapping[str, object]:
    """Return the options that a preset changes, with the values of the preset."""
    return {page.name: page.value for page in option_docs(game, preset) if page.value != page.default}


def rule_sentences(game: Game, preset: str) -> list[tuple[str, bool]]:
    """Return each rule as a sentence, and whether the preset changes an option on which the sentence depends."""
    changed = preset_changes(game, preset).keys()
    explained = pack_of(game.name).load_ruleset_source().explain(game.build_ruleset(preset, {}))
    return [(sentence, bool(changed & set(options))) for sentence, options in explained]


def option_docs(game: Game, preset: str) -> list[OptionDoc]:
    """In the order of the ruleset."""
    source = pack_of(game.name).load_ruleset_source()
    kind, readers = source.ruleset, source.readers
    values, defaults = game.ruleset_options(game.build_ruleset(preset, {})), game.ruleset_options(kind())
    meanings, types = field_texts(kind), get_type_hints(kind)
    return [
        OptionDoc(
            name=name,
            value=values[name],
            default=defaults[name],
            allowed=_allowed_text(name, readers[name]),
            meaning=meanings[name],
            choices=_choice_meanings(types[name]),
        )
        for name in (field.name for field in fields(kind))
    ]


def _allowed_text(name: str, read: OptionReader) -> str:
    """Return the allowed values in words, taken from the reader's error for a value that every reader refuses."""
    try:
        read(name, object())
    except OptionError as refusal:
        return refusal.allowed.removeprefix("expected ")
    return "anything"


def _choice_meanings(kind: Any) -> dict[str, str]:
    """Empty if the type contains no enum."""
    found = [each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, Enum)]
    if not found:
        return {}
    texts = field_texts(found[0])
    return {str(member.value): texts.get(member.name, "") for member in found[0]}
