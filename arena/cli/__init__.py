"""The command line: a file or folder for each command, and modules that several commands share.

    main ── serve, demo, token, rules, secrecy, match/, compare/, league/, replay/
              └─ console, result_console, signals, exit_codes, options, option_groups, ruleset_file: shared

Results go to stdout, everything else to stderr.
"""
