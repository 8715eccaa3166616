"""`arena cert`: makes a local certificate authority, and certificates for a server and its bots."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import print_json, print_status
from arena.cli.options import JsonOption
from arena.typed_command import arena_command

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def cert(
    hosts: Annotated[
        list[str], typer.Argument(metavar="HOST", help="Names and addresses at which bots reach the server.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the files.")] = Path("arena-tls"),
    client: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also make a client certificate for this bot; repeatable."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=1, max=65535, envvar="ARENA_PORT", help="Port of the server, in the command to run.")
    ] = 7777,
    json: JsonOption = False,
) -> None:
    """A local authority signs it, which is made too if the folder has none. A public server takes its certificate from
    a public authority, so that bots need no file. [docs/first-server.md](../docs/first-server.md) shows how.
    """
    from arena.server.rpc.local_authority import LocalAuthority

    authority = LocalAuthority(out)
    server = authority.issue_server_certificate(hosts)
    clients = {name: authority.issue_client_certificate(name) for name in client or ()}
    if json:
        files = {name: {"cert": str(pair.certificate), "key": str(pair.key)} for name, pair in clients.items()}
        shown = {"ca": str(authority.certificate), "cert": str(server.certificate), "key": str(server.key)}
        print_json(shown | {"clients": files})
        return
    print_status("The server reads its certificate from:")
    tls_options = ("--tls-cert", server.certificate, "--tls-key", server.key)
    print(arena_command("serve", "--listen", f"0.0.0.0:{port}", *tls_options))
    print_status(f"Copy {authority.certificate} to every bot, which reads it from:")
    print(f"export CHEATARENA_CA={authority.certificate}")
    for name, pair in clients.items():
        print_status(f"The bot {name} also gets its own certificate:")
        print(f"export CHEATARENA_CERT={pair.certificate} CHEATARENA_KEY={pair.key}")
    print_status(f"Keep {out / 'ca-key.pem'} to yourself: whoever has it can pose as the server.")
