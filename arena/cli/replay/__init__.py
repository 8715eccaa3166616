"""`arena replay`: the subcommands list, show, html, lessons, rerun, export and verify."""
