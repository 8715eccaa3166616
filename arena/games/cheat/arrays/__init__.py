"""Cheat as arrays, for learning environments.

    events ──▶ seat_memory ──▶ observation ┐
                                           ├─ seat_arrays ──▶ one table of an environment
    legal options ──▶ step_choice or macro_choice ┘

`layout` says what each value means, and `limits` which rulesets fit.
"""
