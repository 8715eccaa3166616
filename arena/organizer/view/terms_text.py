"""The ruleset and the timing of a match in words, as reports show them."""

from arena.match.game import Style
from arena.match.referee.pace import Pace, pace_settings
from arena.match.referee.terms import Terms


def describe_ruleset(terms: Terms) -> str:
    """Return the game, the preset, the options that differ from it, and the version of the rules."""
    usual = terms.game.ruleset_options(terms.game.build_ruleset(terms.preset, {}))
    played = terms.game.ruleset_options(terms.ruleset)
    changed = [f"{name} = {played[name]}" for name in played if played[name] != usual.get(name)]
    rules = f"{terms.preset} with {', '.join(changed)}" if changed else terms.preset
    return f"{terms.game.name}, {rules}, rules {terms.game.version}"


def describe_timing(pace: Pace) -> str:
    """Return the style of a pace, its times, and the settings that differ from the style's defaults."""
    times = "without deadlines" if pace.no_deadlines else f"{pace.turn_ms} ms a turn, {pace.call_ms} ms a call"
    usual = pace_settings(Pace.sealed_defaults() if pace.style is Style.SEALED else Pace.live_defaults())
    shown_above = ("turn_ms", "call_ms", "no_deadlines")
    values = {name: value for name, value in pace_settings(pace).items() if name not in shown_above}
    changed = [f"{name} = {value}" for name, value in values.items() if value != usual[name]]
    return ", ".join([f"{pace.style.value}, {times}", *changed])
