"""The command line: one file or folder a command, and what the commands share.

    main ── serve, demo, token, rules, secrecy, match/, compare/, league/, replay/
              └─ console, signals, exit_codes, ruleset_file, ruleset_docs: shared by commands

Results go to stdout, everything else to stderr.
"""
