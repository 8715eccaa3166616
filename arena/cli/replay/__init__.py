"""`arena replay`: the subcommands list, show, html, rerun, export and verify."""
