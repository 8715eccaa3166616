"""The command line: one file or folder per command, and the modules that commands share.

    main ── serve, demo, token, rules, secrecy, match/, compare/, league/, replay/
              └─ console, signals, exit_codes, ruleset_file, ruleset_docs: shared by commands

Results go to stdout, everything else to stderr.
"""
