"""Named rulesets, each a short list of differences from the defaults of `Ruleset` (spec A2)."""

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, object]] = {
    "standard": {},
}
