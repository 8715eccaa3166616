"""Programs that were copied are found, also with other names and comments; the course's own lines do not count."""

import random
from dataclasses import replace

import pytest

from arena.organizer.course.likeness import Likeness, Program, find_likenesses
from arena.organizer.course.packages import read_samples
from cheatarena.new_bot import write_new_bot

MANIFEST = {"bot.toml": b"name = 'a'"}


def source(seed: int, lines: int = 40) -> str:
    """Return a source in Python that shares no long run of tokens with that of another seed."""
    draw = random.Random(seed)
    signs = ["+", "-", "*", "/", "%", "<", ">", "==", "and", "or"]
    forms = ["if {}:\n    return {}", "while {}:\n    yield {}", "for each in {}:\n    print({})", "x[{}] = ({})"]

    def term() -> str:
        return " ".join(f"n{draw.randrange(99)} {draw.choice(signs)}" for _ in range(draw.randrange(1, 5))) + " 1"

    return "\n".join(draw.choice(forms).format(term(), term()) for _ in range(lines))


def program(owner: str, text: str, path: str = "bot.py") -> Program:
    return Program(owner, f"{owner}-bot@1", MANIFEST | {path: text.encode()})


def alike(*programs: Program, **settings) -> list[tuple[str, str, bool]]:
    return [(each.one, each.other, each.is_same) for each in find_likenesses(programs, **settings)]


def test_programs_written_apart_are_not_alike():
    assert alike(program("ann", source(1)), program("bob", source(2)), program("eve", source(3))) == []


def test_same_files_are_the_same_whatever_the_manifest_says():
    one, other = program("ann", source(1)), program("bob", source(1))
    renamed = replace(other, files={**other.files, "bot.toml": b"name = 'b'\nversion = '9'"})

    assert alike(one, renamed) == [("ann-bot@1", "bob-bot@1", True)]


def test_new_names_numbers_and_comments_do_not_hide_a_copy():
    copied = source(1).replace("n1", "strength_of_").replace("1", "27").replace("\n", "  # my own idea\n")
    (found,) = find_likenesses([program("ann", source(1)), program("bob", copied)])

    assert not found.is_same
    assert found.share > 0.9


def test_half_a_copy_is_half_alike():
    half = source(1).splitlines()
    mixed = "\n".join(half[: len(half) // 2]) + "\n" + source(5, lines=20)
    (found,) = find_likenesses([program("ann", source(1)), program("bob", mixed)], least=0.2)

    assert 0.3 < found.share < 0.75


def test_versions_of_one_owner_are_not_compared():
    assert alike(program("ann", source(1)), program("ann", source(1))) == []


def test_what_samples_have_does_not_count():
    given = source(7)
    mine = [program(owner, f"{given}\n{source(number)}") for number, owner in enumerate(("ann", "bob"))]

    assert alike(*mine, least=0.3) == [("ann-bot@1", "bob-bot@1", False)]
    assert alike(*mine, least=0.3, samples=[{"bot.py": given.encode()}]) == []


def test_unchanged_samples_are_not_told():
    samples = [{"bot.py": source(7).encode(), "test_bot.py": b"pass"}]

    assert alike(program("ann", source(7)), program("bob", source(7)), samples=samples) == []
    changed = source(7).replace("1", "2")
    assert alike(program("ann", changed), program("bob", changed), samples=samples) == [
        ("ann-bot@1", "bob-bot@1", True)
    ]


def test_what_most_owners_have_does_not_count():
    template = source(8)
    everybody = [program(f"owner{number}", f"{template}\n{source(number)}") for number in range(5)]

    assert alike(*everybody) == []


@pytest.mark.parametrize(
    ("path", "comment"), [("bot.rs", "// idea"), ("Bot.java", "/* my\n own */"), ("bot.lua", "-- x")]
)
def test_comments_of_other_languages_do_not_hide_a_copy(path, comment):
    lines = source(1).replace("//", "/").replace("--", "-")
    (found,) = find_likenesses(
        [program("ann", lines, path), program("bob", lines.replace("\n", f" {comment}\n"), path)]
    )

    assert found == Likeness("ann-bot@1", "bob-bot@1", 0.999, is_same=False)


def test_short_programs_are_only_the_same_or_not():
    assert alike(program("ann", "return 1"), program("bob", "return 2")) == []


def test_bots_as_new_writes_them_are_not_alike(tmp_path):
    for owner in ("ann", "bob"):
        write_new_bot(tmp_path / f"{owner}-bot")
    files = {
        owner: {path.name: path.read_bytes() for path in (tmp_path / f"{owner}-bot").iterdir()}
        for owner in ("ann", "bob")
    }
    programs = [Program(owner, f"{owner}-bot@0.1", each) for owner, each in files.items()]

    assert find_likenesses(programs, list(read_samples())) == []
