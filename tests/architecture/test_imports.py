"""Imports point inward, as the table in docs/architecture.md lists wings and rooms. The source is read, not run."""

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from arena.pools.matchmaking import seat_tables
from arena.practice import play

ROOT = Path(__file__).resolve().parents[2]

GUIDE = ROOT / "docs" / "architecture.md"

MESSAGE_ROOMS = {"server.wire", "server.node", "server.rpc", "author.trouble", "author.check"}
"""Rooms that may import protobuf and the generated messages. So may the folder `wire` of each game.

`check` judges messages, and `trouble` spoils them, so both have to see them as sent.
"""

RAY_MODULES = {"arena.fleet.cluster.bridge", "arena.fleet.cluster.node_actor"}

RULES = r"match\.(game|options|value_class)|games\.\w+\.rules"
"""What is pure: a game's rules, and what rules are written with."""

IMPURE = {"asyncio", "logging", "os", "random", "secrets", "socket", "subprocess", "threading", "time"}
"""What rules may not have of the standard library: time, chance and the world come to them as values."""

KEPT_NAMES = {"practice": "arena.author.practice", "pools": "arena.competition.pools"}
"""Names that authors know, and where their code is. Nothing else is imported there, and the arena does not use them."""

Layers = list[set[str]]


@cache
def house() -> Mapping[str, Layers]:
    """Return the rooms of each wing, both from the inside out. A wing without a list of rooms has none."""
    table = GUIDE.read_text(encoding="utf-8").partition("| wing |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    return {
        wing.strip("`*"): [set(layer.split(", ")) for layer in rooms.split(" <- ") if layer] for wing, _, rooms in rows
    }


def find_place(name: str) -> tuple[str, str]:
    """Return wing and room of a name in the arena; modules of the arena itself are rooms of the wing `arena`."""
    parts = [*name.split(".")[1:], "", ""]
    return ("arena", parts[0]) if any(parts[0] in layer for layer in house()["arena"]) else (parts[0], parts[1])


def find_level(wing: str, room: str) -> int | None:
    """Return how far out a room is in its wing, from 0; None if the wing does not have it."""
    return next((level for level, layer in enumerate(house()[wing]) if room in layer), None)


def dotted_name(path: Path, root: Path) -> str:
    """Return the import path of a source file below ``root``."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path, root: Path) -> Sequence[tuple[int, str]]:
    """Return line and absolute name of each import, those in functions and for type checkers too."""
    return tuple(_find_imports(path, root))


def _find_imports(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    package = list(path.relative_to(root).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                origin = package[: len(package) - level + 1] if level else []
                source = ".".join([*origin, *([module] if module else [])])
                yield from ((node.lineno, f"{source}.{name.name}") for name in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name
            case _:
                pass


def imports_grpc(name: str) -> bool:
    """Return whether an import is gRPC or a generated service."""
    parts = name.split(".")
    return parts[0].startswith("grpc") or any(part.endswith("_pb2_grpc") for part in parts)


def imports_messages(name: str) -> bool:
    """Return whether an import is protobuf or a generated message."""
    parts = name.split(".")
    return parts[0] == "google" or parts[:2] == ["cheatarena", "v1"] or any(part.endswith("_pb2") for part in parts)


def why_refused(importer: str, imported: str) -> str | None:
    """Say why ``importer`` may not import ``imported``, or None if it may."""
    top = imported.partition(".")[0]
    if importer.partition(".")[0] != "arena":
        return "it runs without the server" if top == "arena" else None
    room = ".".join(find_place(importer))
    if room != "server.rpc" and imports_grpc(imported):
        return "only arena.server.rpc uses gRPC"
    if top == "ray" and importer not in RAY_MODULES:
        return "only what runs in a cluster loads Ray, which is an extra"
    if (
        room not in MESSAGE_ROOMS
        and not re.match(r"arena\.games\.\w+\.wire\b", importer)
        and imports_messages(imported)
    ):
        return f"only the wire of games and {', '.join(sorted(MESSAGE_ROOMS))} use messages"
    if re.match(rf"arena\.({RULES})\b", importer) and (reason := why_impure(importer, imported)):
        return reason
    return why_outward(importer, imported) if top == "arena" else None


def why_impure(importer: str, imported: str) -> str | None:
    """Say why rules may not have this import."""
    top = imported.partition(".")[0]
    if top != "arena":
        is_pure = top not in IMPURE and top in sys.stdlib_module_names
        return None if is_pure else "rules need nothing but the pure part of the standard library"
    own = re.match(r"arena\.games\.\w+\.rules", importer)
    is_own = own is not None and imported.startswith(f"{own[0]}.")
    is_common = re.match(r"arena\.(errors|plurals|match\.(game|options|value_class))\b", imported)
    return (
        None
        if is_own or is_common
        else "rules need nothing of the arena but its errors, its plurals and what rules are written with"
    )


def why_outward(importer: str, imported: str) -> str | None:
    """Say why this import within the arena points outward."""
    (wing, room), (other_wing, other_room) = find_place(importer), find_place(imported)
    if wing in KEPT_NAMES:
        return None if imported.startswith(f"{KEPT_NAMES[wing]}.") else "it only names something of another place"
    if other_wing in KEPT_NAMES:
        return "that name is for authors"
    if other_wing not in house():  # a name of the package itself, such as arena.__version__
        return None
    if wing == "" or (room == "" and house()[wing]):
        return "a package of rooms imports none of them"
    if wing != other_wing:
        wings = list(house())
        return None if wings.index(other_wing) < wings.index(wing) else f"{other_wing} is not further in than {wing}"
    level, other_level = find_level(wing, room), find_level(wing, other_room)
    if room == other_room or level is None or other_level is None or other_level < level:
        return None
    return f"{other_room} is not further in than {room}"


def sources(root: Path) -> list[Path]:
    """List the hand-written Python files of everything that is shipped."""
    found = [path for folder in ("arena", "sample_bots") for path in (root / folder).rglob("*.py")]
    found += [path for path in (root / "sdk" / "cheatarena").rglob("*.py") if "v1" not in path.parts]
    return sorted(path for path in found if "node_modules" not in path.parts)


def is_unplaced(module: str) -> bool:
    """Return whether the table has no place for a module of the arena."""
    wing, room = find_place(module)
    if wing in {"", *KEPT_NAMES}:
        return False
    return wing not in house() or (room != "" and house()[wing] != [] and find_level(wing, room) is None)


def violations(root: Path) -> list[str]:
    """List every import that points the wrong way, and every module that has no place."""
    faults = []
    for path in sources(root):
        home = root / "sdk" if path.is_relative_to(root / "sdk") else root
        importer = dotted_name(path, home)
        if importer.startswith("arena.") and is_unplaced(importer):
            faults.append(f"{importer} has no place: add its wing or its room to the table in {GUIDE.name}")
            continue
        for line, imported in imports(path, home):
            if reason := why_refused(importer, imported):
                faults.append(f"{importer}:{line} imports {imported}: {reason}")
    return faults


def test_every_import_points_inward():
    """Wings and rooms keep their order."""
    assert any(path.is_relative_to(ROOT / "arena") for path in sources(ROOT)), "no module was checked"
    assert violations(ROOT) == []


def test_table_lists_what_there_is():
    """No wing or room of the table is gone."""
    listed = {(wing, room) for wing, layers in house().items() for layer in layers for room in layer}
    modules = {dotted_name(path, ROOT) for path in sources(ROOT) if path.is_relative_to(ROOT / "arena")}

    assert len(house()) == 14  # thirteen wings, and the arena itself
    assert listed - {find_place(module) for module in modules} == set()


def test_every_module_is_imported_without_an_error():
    """What nothing imports, such as a program that another process starts, has no error either."""
    for folder, left_out in (("arena", "migrations"), ("sdk/cheatarena", "v1"), ("tools", ""), ("tests", "")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = dotted_name(path, ROOT / "sdk" if folder == "sdk/cheatarena" else ROOT)
            is_left_out = left_out in path.parts or path.name.startswith(("test_", "conftest"))
            if not is_left_out and (name not in RAY_MODULES or importlib.util.find_spec("ray")):
                importlib.import_module(name)


def find_circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of a circle of imports, or an empty list."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module in done:
            return []
        for other in sorted(arrows.get(module, ())):
            if circle := visit(other, [*path, module]):
                return circle
        done.add(module)
        return []

    return next((circle for module in sorted(arrows) if (circle := visit(module, []))), [])


def import_arrows(root: Path) -> dict[str, set[str]]:
    """Return which modules of the arena each module imports, in functions and for type checkers too."""
    modules = {dotted_name(path, root): path for path in sources(root) if path.is_relative_to(root / "arena")}
    arrows: dict[str, set[str]] = {}
    for module, path in modules.items():
        named = {name if name in modules else name.rpartition(".")[0] for _, name in imports(path, root)}
        arrows[module] = (named & modules.keys()) - {module}
    return arrows


def test_no_modules_import_each_other_in_a_circle():
    """A reader can take the house apart from either end."""
    assert find_circle(import_arrows(ROOT)) == []


def test_a_planted_circle_is_found():
    """The check sees a circle behind a detour."""
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"d", "b"}, "d": set()}) == ["b", "c"]


COMMAND_LINE = re.compile(r"\barena\.cli\b")


def namings_of_commands(root: Path) -> list[str]:
    """List where something further in than the command line names it in a text, as what it would start.

    Who needs something of it says what, and the command that starts the process passes a name.
    """
    return [
        f"{path.relative_to(root)}:{node.lineno} names the command line"
        for path in sources(root)
        if not path.is_relative_to(root / "arena" / "cli")
        if COMMAND_LINE.search(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text, str(path)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and COMMAND_LINE.search(node.value)
    ]


def test_nothing_further_in_names_the_command_line():
    """No import shows what a process is started with."""
    assert namings_of_commands(ROOT) == []


@pytest.mark.parametrize(
    "code",
    ['run("-c", "from arena.cli.main import main; main()")', 'MODULE = f"arena.cli.{name}"', '"""See arena.cli."""'],
)
def test_a_planted_naming_is_found(tmp_path, code):
    """The check sees it in each kind of text, and lets the command line itself name its modules."""
    plant(tmp_path, "arena/fleet/runner/a.py", code)
    plant(tmp_path, "arena/cli/a.py", code)
    plant(tmp_path, "sdk/cheatarena/a.py", "from cheatarena.client import Client\n'cheatarena.client'")

    assert len(namings_of_commands(tmp_path)) == 1


def plant(root: Path, path: str, code: str) -> None:
    """Write one module and the folders above it."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("arena/match/deal/a.py", "import arena.server.node.node", id="wing-outward"),
        pytest.param("arena/match/deal/a.py", "from arena import server", id="outward-from-root"),
        pytest.param("arena/match/deal/a.py", "from ...server import node", id="outward-relative"),
        pytest.param("arena/match/deal/__init__.py", "from .. import feed", id="outward-relative-from-package"),
        pytest.param("arena/match/deal/a.py", "def f():\n    from arena.match import feed", id="outward-in-a-function"),
        pytest.param(
            "arena/match/feed/a.py", "import importlib\nimportlib.import_module('arena.web')", id="outward-by-name"
        ),
        pytest.param("arena/match/deal/a.py", "import arena.match.referee", id="room-outward"),
        pytest.param("arena/organizer/play/a.py", "import arena.organizer.view", id="sibling"),
        pytest.param("arena/games/cheat/a.py", "import arena.games.cheater.phrasing", id="sibling-game"),
        pytest.param("arena/server/node/a.py", "import arena.server.config", id="config-too-far-in"),
        pytest.param("arena/errors.py", "import arena.match.game", id="errors-import-nothing"),
        pytest.param("arena/errors.py", "import arena.text_files", id="errors-import-no-sibling-further-out"),
        pytest.param("arena/verify/a.py", "import arena.errors", id="verifiers-stand-alone"),
        pytest.param("arena/__init__.py", "from . import match", id="root-imports-a-wing"),
        pytest.param("arena/match/__init__.py", "from . import deal", id="wing-imports-a-room"),
        pytest.param("arena/helpers/a.py", "", id="wing-without-a-place"),
        pytest.param("arena/match/helpers.py", "", id="room-without-a-place"),
        pytest.param("arena/games/cheat/rules/a.py", "from time import monotonic", id="rules-read-a-clock"),
        pytest.param("arena/games/cheat/rules/a.py", "import random", id="rules-draw"),
        pytest.param("arena/games/cheat/rules/a.py", "import msgspec", id="rules-need-a-library"),
        pytest.param("arena/games/cheat/rules/a.py", "from arena import __version__", id="rules-know-the-arena"),
        pytest.param("arena/games/cheat/rules/a.py", "import arena.match.deal.stream", id="rules-deal"),
        pytest.param("arena/games/cheat/rules/a.py", "import arena.games.cheat.phrasing", id="rules-know-their-words"),
        pytest.param("arena/match/game.py", "import os", id="protocol-of-games-is-pure"),
        pytest.param("arena/cli/a.py", "import grpc.aio", id="grpc-outside-rpc"),
        pytest.param("arena/fleet/cluster/cluster_fleet.py", "import ray", id="runner-loads-ray"),
        pytest.param("arena/fleet/assembly/a.py", "import grpc_health.v1", id="grpc-extra-outside-rpc"),
        pytest.param("arena/fleet/assembly/a.py", "from cheatarena.v1 import play_pb2", id="messages-outside-rpc"),
        pytest.param(
            "arena/games/cheat/a.py", "from cheatarena.v1 import cheat_pb2", id="messages-beside-a-games-wire"
        ),
        pytest.param("arena/cli/a.py", "import arena.practice", id="arena-uses-a-name-for-authors"),
        pytest.param("arena/practice.py", "import arena.author.check.lab", id="name-for-authors-names-more"),
        pytest.param("sdk/cheatarena/a.py", "import arena.match.game", id="sdk-imports-arena"),
        pytest.param("sample_bots/python/a.py", "from arena.games import cheat", id="sample-imports-arena"),
    ],
)
def test_planted_violation_is_found(tmp_path, path, code):
    """The check detects each way to break the rule."""
    plant(tmp_path, path, code)

    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param(
            "arena/games/cheat/rules/a.py", "from . import cards\nimport arena.games.cheat.rules.b", id="own-room"
        ),
        pytest.param(
            "arena/games/cheat/rules/a.py",
            "import dataclasses\nfrom arena.errors import ArenaError\nfrom arena.match.game import Game",
            id="rules-and-errors",
        ),
        pytest.param("arena/server/rpc/a.py", "import grpc\nfrom cheatarena.v1 import play_pb2", id="rpc-speaks-grpc"),
        pytest.param("arena/games/cheat/wire/a.py", "from cheatarena.v1 import cheat_pb2", id="wire-of-a-game"),
        pytest.param(
            "arena/server/node/a.py", "import arena.server.wire.notices, arena.match.feed.gate", id="further-in"
        ),
        pytest.param("arena/cli/a.py", "import arena.fleet.assembly\nfrom arena import __version__", id="inward"),
        pytest.param("arena/web/pages/a.py", "import arena.web.page", id="wing-without-rooms"),
        pytest.param("arena/practice.py", "from arena.author.practice.play import play", id="name-for-authors"),
        pytest.param("sdk/cheatarena/a.py", "import grpc\nfrom cheatarena.v1 import play_pb2", id="sdk-speaks-grpc"),
    ],
)
def test_inward_import_is_allowed(tmp_path, path, code):
    """The check raises no false alarm."""
    plant(tmp_path, path, code)

    assert violations(tmp_path) == []


def test_names_that_authors_know_are_kept():
    """Both are documented: in docs/practice.md and in docs/pools.md."""
    assert play.__module__ == "arena.author.practice.play"
    assert seat_tables.__module__ == "arena.competition.pools.matchmaking"
