"""A PostgreSQL server for tests: of Debian's package, in a temporary folder, on a Unix socket, as an ordinary user."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

_BINARIES: Final = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
IS_INSTALLED: Final = bool(_BINARIES) and os.name == "posix"
_FAST: Final = "-c fsync=off -c full_page_writes=off -c max_connections=30"
"""A test that kills the machine would need them; no test does."""


class PostgresServer:
    def __init__(self, encoding: str = "UTF8", primary: "PostgresServer | None" = None) -> None:
        """With a `primary`, it is a standby of that server."""
        import pwd  # noqa: PLC0415  Windows has none

        self.folder = Path(mkdtemp(prefix="arena-pg"))  # a socket's path is short
        self._owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        if primary is None:
            self._run("initdb", "--auth=trust", "--no-sync", "--username=arena", f"--encoding={encoding}", "--locale=C")
        else:
            source = ("--host", str(primary.folder), "--username=arena", "--checkpoint=fast", "--no-sync")
            self._run("pg_basebackup", *source, "--write-recovery-conf", "--pgdata", str(self.folder / "data"))
        self._databases = 0
        self.start()

    def url(self, database: str, user: str = "arena") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def new_database(self, template: str = "template0") -> str:
        """Return the URL of a new database, which is a copy of another one: of its files, which is fastest."""
        self._databases += 1
        name = f"test{self._databases}"
        self.run_sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)

    def run_sql(self, statement: str, database: str = "postgres") -> str:
        words = ("--quiet", "--no-align", "--tuples-only", "--no-psqlrc", "--host", str(self.folder))
        return self._run("psql", *words, "--username=arena", "--command", statement, database)

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} {_FAST}"
        self._run("pg_ctl", "--silent", "--wait", "--log", str(self.folder / "log"), "--options", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "--silent", "--wait", "--mode", mode, "stop")

    def start_standby(self) -> "PostgresServer":
        """Return a new standby. From now on, this server confirms only what the standby has too."""
        standby = PostgresServer(primary=self)
        self.run_sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.run_sql("SELECT pg_reload_conf()")
        return standby

    def promote(self) -> None:
        """Make a standby a server of its own."""
        self._run("pg_ctl", "--silent", "--wait", "promote")

    def close(self) -> None:
        if self._run("pg_ctl", "status", may_fail=True).startswith("pg_ctl: server is running"):
            self.stop()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *words: str, may_fail: bool = False) -> str:
        done = subprocess.run(
            [_BINARIES[-1].with_name(program), *words],
            env={"PATH": os.environ["PATH"], "PGDATA": str(self.folder / "data"), "LC_ALL": "C"},
            cwd=self.folder,
            user=self._owner.pw_uid,
            group=self._owner.pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert may_fail or done.returncode == 0, f"{program}: {done.stdout}"
        return done.stdout.strip()
