"""The command line: a file or folder for each command, and modules that several commands share.

    main ── serve, demo, token, rules, secrecy, match/, compare/, league/, replay/
              └─ present, console, signals, exit_codes, options, option_groups, store_access, author: shared

A command hands its result to `present`, as a value and as the lines that people read. Results go to stdout,
everything else to stderr.
"""
