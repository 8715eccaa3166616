"""The command line: one file a command, and what commands share.

    main ── serve, match, demo, token, replay, rules
              │
              ├─ options, plan    what was asked for, checked before anything is started
              ├─ host             a server of our own, or the way to one that runs
              ├─ crew             bot programs: started, waited for, ended
              ├─ progress, report what people and machines are shown
              └─ exits            what the exit code says

Results go to stdout, everything else to stderr.
"""
