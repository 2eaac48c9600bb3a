"""`hornbeam serve`: a saved model as a small web server for programs on this machine."""

from __future__ import annotations

import click

from hornbeam.cli.options import Command

MEGABYTE = 2**20


@click.command(cls=Command, short_help="Serve a saved model over HTTP on this machine.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port.")
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on.",
)
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="Another host name of the server (repeatable)."
)
@click.option(
    "--max-mb", type=click.IntRange(1, 1024), default=16, show_default=True, help="The largest request, in megabytes."
)
def serve(model: str, port: int, host: str, hosts: tuple[str, ...], max_mb: int) -> None:
    """Serve the model in the file MODEL: rows are sent as JSON or CSV, predictions come back as JSON.

    The server listens only on this machine, unless --host names another address. There is no password: if others can
    reach it, put a server with authentication in front of it. GET /openapi.json describes all requests.
    """
    from hornbeam.model.files.storage import load
    from hornbeam.web.app import application, need_web

    need_web()
    import uvicorn

    app = application(load(model), most_bytes=max_mb * MEGABYTE, hosts=(*hosts, host))
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
    server = uvicorn.Server(config)
    config.load()
    socket = config.bind_socket()
    address, used = socket.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    click.echo(f"Serving {model} at http://{shown}:{used} (Ctrl-C to stop); POST rows to /predict", err=True)
    server.run(sockets=[socket])
