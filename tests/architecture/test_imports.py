"""Imports point inward: what each package may import, read from the source without running it."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LAYERS = (
    {"errors", "ids", "log_lines", "names", "plurals", "typed_command", "verify"},
    {"compiled_build", "rules", "text_files"},
    {"plain_data"},
    {"deal"},
    {"match"},
    {"feed", "league"},
    {"pools", "sdk_values", "wire"},
    {"launch", "node", "store"},
    {"config", "metrics", "packages", "rpc", "sandbox", "telemetry"},
    {"analytics", "intake", "replays", "scenarios", "secrecy"},
    {"lessons", "watch"},
    {"games"},
    {"app", "practice"},
    {"rerun", "runner"},
    {"chaos", "check", "compare"},
    {"report"},
    {"hosting"},
    {"audit", "seasons", "submissions", "web"},
    {"cli"},
)
"""Inner to outer. A room imports itself and what lies strictly further in."""

DRAWINGS = ("docs/architecture.md", "CONTRIBUTING.md")
"""Documents that draw the layers."""

LAYER_OF = {room: index for index, layer in enumerate(LAYERS) for room in layer}

IMPURE = {"asyncio", "logging", "os", "random", "secrets", "socket", "subprocess", "threading", "time"}
"""What rules may not have of the standard library: time, chance and the world come to them as values."""


def dotted_name(path: Path, root: Path) -> str:
    """Return the import path of a source file below ``root``."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute name of each import, those in functions and for type checkers too."""
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


MESSAGE_ROOMS = {"wire", "node", "rpc", "chaos", "check"}
"""Rooms that may import protobuf and the generated messages.

`check` judges messages, and `chaos` spoils them, so both have to see them as sent.
"""


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
    top, *inside = imported.split(".")
    if importer.partition(".")[0] != "arena":
        return "it runs without the server" if top == "arena" else None

    room = importer.partition(".")[2].partition(".")[0]
    if room != "rpc" and imports_grpc(imported):
        return "only arena.rpc uses gRPC"
    if room not in MESSAGE_ROOMS and imports_messages(imported):
        return "only arena.wire, arena.node, arena.rpc, arena.chaos and arena.check use messages"
    if room == "rules" and top != "arena" and (top in IMPURE or top not in sys.stdlib_module_names):
        return "rules need nothing but the pure part of the standard library"
    if top != "arena":
        return None
    other = inside[0] if inside else ""
    if other not in LAYER_OF:  # a name of the package itself, such as arena.__version__
        return "rules need nothing of the arena but its errors" if room == "rules" else None
    if room == "":
        return "the root package imports none of its rooms"
    if room != other and LAYER_OF[other] >= LAYER_OF[room]:
        return f"{other} is not further in than {room}"
    return None


def sources(root: Path) -> list[Path]:
    """List the hand-written Python files of everything that is shipped."""
    found = [path for folder in ("arena", "sample_bots") for path in (root / folder).rglob("*.py")]
    found += [path for path in (root / "sdk" / "cheatarena").rglob("*.py") if "v1" not in path.parts]
    return sorted(path for path in found if "node_modules" not in path.parts)


def violations(root: Path) -> list[str]:
    """List every import that points the wrong way, and every room that has no layer."""
    faults = []
    for path in sources(root):
        home = root / "sdk" if path.is_relative_to(root / "sdk") else root
        importer = dotted_name(path, home)
        room = importer.partition(".")[2].partition(".")[0]
        if importer.startswith("arena.") and room not in LAYER_OF:
            faults.append(f"{importer} is in no layer: give {room!r} a place in LAYERS")
            continue
        for line, imported in imports(path, home):
            if reason := why_refused(importer, imported):
                faults.append(f"{importer}:{line} imports {imported}: {reason}")
    return faults


def test_every_import_points_inward():
    """The layers keep their direction."""
    assert any(path.is_relative_to(ROOT / "arena") for path in sources(ROOT)), "no module was checked"
    assert violations(ROOT) == []


def test_layer_diagrams_agree():
    """Each document draws the layers exactly as `LAYERS` lists them, whatever its line breaks."""
    drawing = " <- ".join(", ".join(sorted(layer)) for layer in LAYERS)

    for name in DRAWINGS:
        text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert drawing in text, f"{name} has to draw: {drawing}"


def test_every_room_is_in_the_picture_of_the_house():
    """The guide says of each room what it is for."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    house = text.partition("\narena/\n")[2].partition("\nsdk/")[0]
    drawn = set(re.findall(r"(\w+)(?:/|\.py)", house))

    assert {room for layer in LAYERS for room in layer} - drawn == set()


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


def plant(root: Path, path: str, code: str) -> None:
    """Write one module and the folders above it."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("arena/rules/a.py", "import arena.match.referee", id="outward"),
        pytest.param("arena/deal/a.py", "from arena import match", id="outward-from-root"),
        pytest.param("arena/deal/a.py", "from ..match import referee", id="outward-relative"),
        pytest.param("arena/deal/__init__.py", "from .. import match", id="outward-relative-from-package"),
        pytest.param("arena/match/a.py", "def f():\n    from arena import app", id="outward-in-a-function"),
        pytest.param(
            "arena/match/a.py", "import importlib\nimportlib.import_module('arena.rpc')", id="outward-by-name"
        ),
        pytest.param("arena/feed/a.py", "import arena.league", id="sibling"),
        pytest.param("arena/app/server.py", "import arena.practice", id="sibling-module"),
        pytest.param("arena/match/a.py", "import arena.config", id="config-too-far-in"),
        pytest.param("arena/errors.py", "import arena.rules", id="errors-import-nothing"),
        pytest.param("arena/__init__.py", "from . import rules", id="root-imports-a-room"),
        pytest.param("arena/helpers/a.py", "", id="room-without-a-layer"),
        pytest.param("arena/rules/a.py", "from time import monotonic", id="rules-read-a-clock"),
        pytest.param("arena/rules/a.py", "import random", id="rules-draw"),
        pytest.param("arena/rules/a.py", "import msgspec", id="rules-need-a-library"),
        pytest.param("arena/rules/a.py", "from arena import __version__", id="rules-know-the-arena"),
        pytest.param("arena/cli/a.py", "import grpc.aio", id="grpc-outside-rpc"),
        pytest.param("arena/app/server.py", "import grpc_health.v1", id="grpc-extra-outside-rpc"),
        pytest.param("arena/app/server.py", "from cheatarena.v1 import play_pb2", id="messages-outside-rpc"),
        pytest.param("sdk/cheatarena/a.py", "import arena.rules", id="sdk-imports-arena"),
        pytest.param("sample_bots/python/a.py", "from arena.rules import cheat", id="sample-imports-arena"),
    ],
)
def test_planted_violation_is_found(tmp_path, path, code):
    """The check detects each way to break the rule."""
    plant(tmp_path, path, code)

    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("arena/rules/cheat/a.py", "from ..cheater import dice\nfrom . import cards", id="own-room"),
        pytest.param(
            "arena/rules/a.py", "import dataclasses\nfrom arena.errors import ArenaError", id="rules-and-errors"
        ),
        pytest.param("arena/rpc/a.py", "import grpc\nfrom cheatarena.v1 import play_pb2", id="rpc-speaks-grpc"),
        pytest.param("arena/store/a.py", "import arena.wire, arena.league", id="further-in"),
        pytest.param("arena/cli/a.py", "import arena.app\nfrom arena import __version__", id="inward"),
        pytest.param("sdk/cheatarena/a.py", "import grpc\nfrom cheatarena.v1 import play_pb2", id="sdk-speaks-grpc"),
    ],
)
def test_inward_import_is_allowed(tmp_path, path, code):
    """The check raises no false alarm."""
    plant(tmp_path, path, code)

    assert violations(tmp_path) == []
