"""The terms of a league's tables, built from the game, rules, pace and seats in the league's file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.errors import ArenaError, OptionError, OptionsError, UnknownNameError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.options import format_option
from arena.match.referee.match_order import MatchOrder, terms_from_order
from arena.match.referee.pace import Pace, build_pace, fix_windows
from arena.match.referee.terms import Seating, Terms
from arena.organizer.file.league_schema import ErrorCollector, LeagueSchema


def build_league_terms(written: LeagueSchema, bots: Mapping[str, BotEntrant], faults: ErrorCollector) -> Terms | None:
    """Return terms that seat the first of these bots. If there are errors, collect them and return None.

    Windows are fixed if a bot is remote, unless the file says otherwise.
    """
    rules = {name: format_option(value) for name, value in written.rules.items()}
    try:
        pace = build_pace(written.pace, dict(written.pace_settings))
    except OptionsError as error:
        faults.add_all(error)
        pace = build_pace(written.pace, {})  # so that the rest can be checked
    if not has_window_setting(written) and any(bot.is_remote for bot in bots.values()):
        pace = fix_windows(pace)
    return _build_or_collect_errors(written, list(bots), rules, pace, faults)


def has_window_setting(written: LeagueSchema) -> bool:
    """Return whether a file says if windows are fixed."""
    return "fixed_window" in written.pace_settings


def _build_or_collect_errors(
    written: LeagueSchema, names: Sequence[str], rules: Mapping[str, str], pace: Pace, faults: ErrorCollector
) -> Terms | None:
    """Return terms, or collect their errors and return None. If some rules are refused, the others are checked too."""
    try:
        return _build_checked_terms(written, names, rules, pace)
    except OptionsError as error:
        faults.add_all(error)
        valid = {name: rules[name] for name in rules.keys() - {each.field for each in error.faults}}
        if len(valid) < len(rules):
            _build_or_collect_errors(written, names, valid, pace, faults)
    except OptionError as error:
        faults.add(error.field, error.value, error.allowed)
    except UnknownNameError as error:
        faults.add(error.kind, error.name, f"expected one of {', '.join(error.known)}")
    except ArenaError as error:
        faults.add("rules", written.rules, str(error))
    return None


def _build_checked_terms(written: LeagueSchema, names: Sequence[str], rules: Mapping[str, str], pace: Pace) -> Terms:
    """Return terms that can be played. Raises OptionsError, OptionError, UnknownNameError."""
    game, preset = resolve_game_and_preset(written.game, written.preset)
    seated = tuple([*names, *(f"seat{seat}" for seat in range(written.seats))][: written.seats])
    order = MatchOrder(seated, game, preset, rules, pace, seating=Seating.FIXED)
    return replace(terms_from_order(order, games()), anonymous=written.anonymous)
