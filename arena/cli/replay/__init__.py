"""`arena replay`: the subcommands list, show, rerun, lessons, export and verify."""
