"""What is played at a table of a league, from what its file says of game, rules, pace and seats."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.errors import ArenaError, OptionError, OptionsError, UnknownNameError
from arena.hosting.written_league import Faults, WrittenLeague
from arena.match.pace import Pace, pace_from
from arena.match.terms import Seating, Terms
from arena.rpc.client import MatchOrder, check_order
from arena.rpc.games import what_is_played
from arena.rpc.option_texts import option_text


def written_terms(written: WrittenLeague, names: Sequence[str], faults: Faults) -> Terms | None:
    """Give terms with the first of these entrants seated; what is wrong is named, then they are of no use."""
    rules = {name: option_text(value) for name, value in written.rules.items()}
    return _looked_at(written, names, rules, _pace(written, faults), faults)


def _pace(written: WrittenLeague, faults: Faults) -> Pace:
    """The pace; where it is at fault, the usual one."""
    try:
        return pace_from(written.pace, dict(written.pace_settings))
    except OptionsError as error:
        faults.take(error)
        return pace_from(written.pace, {})


def _looked_at(
    written: WrittenLeague, names: Sequence[str], rules: Mapping[str, str], pace: Pace, faults: Faults
) -> Terms | None:
    """Give terms, or name what is wrong; where rules are, all else is looked at without them."""
    try:
        return _checked(written, names, rules, pace)
    except OptionsError as error:
        faults.take(error)
        right = {name: rules[name] for name in rules.keys() - {each.field for each in error.faults}}
        if len(right) < len(rules):
            _looked_at(written, names, right, pace, faults)
    except OptionError as error:
        faults.add(error.field, error.value, error.allowed)
    except UnknownNameError as error:
        faults.add(error.kind, error.name, f"expected one of {', '.join(error.known)}")
    except ArenaError as error:
        faults.add("rules", written.rules, str(error))
    return None


def _checked(written: WrittenLeague, names: Sequence[str], rules: Mapping[str, str], pace: Pace) -> Terms:
    """Give terms that can be played. Raises OptionsError, OptionError, UnknownNameError."""
    game, preset = what_is_played(written.game, written.preset)
    seated = tuple([*names, *(f"seat{seat}" for seat in range(written.seats))][: written.seats])
    order = MatchOrder(seated, game, preset, rules, pace, seating=Seating.FIXED)
    return replace(check_order(order), anonymous=written.anonymous)
