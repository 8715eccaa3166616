"""Named rulesets, each a short list of differences from the defaults of `Ruleset` (spec A2)."""

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, object]] = {
    "standard": {},
    "folk": {
        "decks": "none",
        "jokers_per_deck": 0,
        "first_mover": "left_of_dealer",
        "extra_cards_to": "last_dealt",
        "count": ["same", "more", "less"],
        "caller_priority": "nearest_clockwise",
        "success_new_trick": True,
        "failure_new_trick": True,
        "success_next": "caller",
        "count_lies": True,
        "opening_face_up": True,
        "objective": "first_out_wins",
        "win_resets_trick": True,
    },
    "rank_lock": {
        "first_mover": "first_seat",
        "count": ["same", "more", "less"],
        "rank_next": ["same"],
        "passing": "pass_turn",
        "call_mode": "turn_action",
        "any_caller": False,
        "banish_on_new_trick": True,
        "success_new_trick": True,
        "failure_new_trick": True,
        "success_next": "caller",
        "failure_next": "challenged",
        "honest_win": True,
        "objective": "first_out_wins",
    },
    "ascending": {
        "players_min": 4,
        "players_max": 4,
        "jokers_per_deck": 0,
        "first_mover": "first_seat",
        "rank_mode": "rotation",
        "objective": "first_out_wins",
    },
}
