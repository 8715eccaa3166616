"""The copy that is compiled behaves like the source, line by line."""

import dataclasses
import sys
from types import ModuleType

import pytest

from compiled import native_values
from compiled.modules import find_arena, find_sdk
from compiled.native_classes import Fields, RewriteError, rewrite_module

SOURCE = '''\
"""A module."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    """To the right."""
    y: int = 2
    tags: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="s", repr=False)

    def moved(self) -> "Point":
        """Return the place to the right."""
        return replace(self, x=self.x + 1)


@dataclass(slots=True)
class Empty:
    """Nothing."""


def fail() -> None:
    raise ValueError("line 28")
'''


def run_module(source: str, name: str) -> ModuleType:
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"{name}.py", "exec"), vars(module))
    return module


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """Return the module as it is, and as it is compiled."""
    monkeypatch.setitem(sys.modules, "arena.native_values", native_values)
    made = run_module(SOURCE, "plain_module"), run_module(rewrite_module(SOURCE, {}), "native_module")
    for each in made:
        monkeypatch.delitem(sys.modules, each.__name__)
    return made


def test_rewritten_class_behaves_like_the_dataclass(modules: tuple[ModuleType, ModuleType]):
    for module in modules:
        point = module.Point(1, tags=["a"])

        assert (point.x, point.y, point.tags, point.secret) == (1, 2, ["a"], "s")
        assert point == module.Point(1) != module.Point(2)
        assert hash(point) == hash((1, 2, "s"))
        assert repr(point) == "Point(x=1, y=2, tags=['a'])"
        assert point.moved() == module.Point(2)
        assert module.Point(1).tags is not module.Point(1).tags
        assert module.Point.__doc__ == "A place."
        assert [each.name for each in dataclasses.fields(module.Point)] == ["x", "y", "tags", "secret"]
        assert module.Point.__match_args__ == ("x", "y", "tags", "secret")
        assert module.Empty() == module.Empty()
        with pytest.raises(TypeError):
            hash(module.Empty())


def test_every_line_keeps_its_number(modules: tuple[ModuleType, ModuleType]):
    lines = []
    for module in modules:
        with pytest.raises(ValueError, match="line 28") as raised:
            module.fail()
        lines.append(raised.tb.tb_next.tb_lineno if raised.tb.tb_next else None)

    assert lines[0] == lines[1] is not None


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("@dataclass(order=True)\nclass A:\n    x: int\n", "option order"),
        ("@dataclass\nclass A:\n    x: int\n    def __post_init__(self): ...\n", "__post_init__"),
        ("@dataclass\nclass A:\n    x: int = field(kw_only=True)\n", "kw_only"),
    ],
)
def test_what_the_rewriting_does_not_know_is_refused(source: str, words: str):
    with pytest.raises(RewriteError, match=words):
        rewrite_module(f"from dataclasses import dataclass, field\n{source}", {})


def test_every_compiled_source_can_be_rewritten():
    """So a change that mypyc could not compile is noticed without a compiler."""
    known: dict[str, Fields] = {}
    package = find_arena()
    assert len(package.modules) > 100

    for module in package.modules:
        source = (package.parent / module).read_text(encoding="utf-8")
        rewritten = rewrite_module(source, known)
        compile(rewritten, str(module), "exec")
        assert rewritten.count("\n") >= source.count("\n"), module


def test_no_class_of_the_sdk_is_rewritten():
    """So nothing that an author may hold differs between the builds."""
    known: dict[str, Fields] = {}
    package = find_sdk()
    for module in package.modules:
        source = (package.parent / module).read_text(encoding="utf-8")
        assert rewrite_module(source, known).rstrip() == source.rstrip(), module
    assert known == {}
