"""Named rulesets, each a short list of differences from the defaults of `Ruleset` (spec B1)."""

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, object]] = {
    "cheater": {},
}
