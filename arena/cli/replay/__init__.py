"""`arena replay`: lists matches, and shows recorded games whole or as one seat knew them, here or on a server."""

import typer

from arena.cli.replay import export, lessons, list_matches, rerun, show, verify

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)
app.command("list")(list_matches.list_)
app.command()(export.html)
app.command()(export.export)
app.command()(verify.verify)
app.command()(rerun.rerun)
app.command()(lessons.lessons)
app.command()(show.show)
