"""Builds, checks, tries and runs the bots that owners submit. All of it happens in boxes.

    store: queued ──▶ worker ──▶ steps: build ──▶ check ──▶ trial games ──▶ store: active
                                                                                  │
    pools of the server ◀── boxed programs, kept running ◀── active_bots ◀────────┘

`box_process` does this in a process beside the server. `submitted_programs` finds what was built, for leagues and
matches that name `submitted:NAME`.
"""
