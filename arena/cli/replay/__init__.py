"""`arena replay`: the subcommands list, show, rerun, export and verify."""
