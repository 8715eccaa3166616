"""`bot.toml`: what it may contain, with every error reported at once."""

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.manifest import Manifest, read_manifest
from arena.errors import BotStartError, NotationError, OptionsError


@pytest.fixture
def manifest(tmp_path):
    """Write a manifest and read it."""

    def read(text: str) -> Manifest:
        path = tmp_path / "bot.toml"
        path.write_text(text, encoding="utf-8")
        return read_manifest(path)

    return read


def test_short_manifest_is_enough(manifest):
    assert manifest('name = "counter"\ncommand = "node bot.js"') == Manifest("counter", ("node", "bot.js"))


def test_full_manifest_is_read(manifest):
    text = """
        name = "Counter 2"
        version = "1.2"
        command = ["./bot", "--level", "two words"]
        build = "cargo build --release"
        environment = { LEVEL = "3", PATH = "/opt/bin" }
        start_time_s = 45
        games = ["cheat", "cheater"]
        language = "rust"
        pools = ["main", "fast"]
        [resources]
        memory_mb = 1024
        processes = 16
        cpus = 1.5
        scratch_mb = 8
    """

    assert manifest(text) == Manifest(
        name="Counter 2",
        version="1.2",
        command=("./bot", "--level", "two words"),
        build=("cargo", "build", "--release"),
        environment={"LEVEL": "3", "PATH": "/opt/bin"},
        start_time_s=45.0,
        games=("cheat", "cheater"),
        language="rust",
        pools=("main", "fast"),
        limits=BoxLimits(memory_mb=1024, processes=16, cpus=1.5, scratch_mb=8),
    )


def test_javascript_has_the_image_of_typescript(manifest):
    assert manifest("name = 'a'\nlanguage = 'javascript'").language == "typescript"


def test_image_may_stand_in_place_of_a_language(manifest):
    read = manifest("name = 'a'\nimage = 'registry.org/zig:0.13'")

    assert (read.language, read.image) == ("", "registry.org/zig:0.13")


def test_command_may_be_left_out(manifest):
    assert manifest('name = "counter"').command == ()


def test_missing_name_is_told_as_missing(manifest):
    with pytest.raises(OptionsError, match=r"bot\.toml: name is missing: expected 1 to 32 letters"):
        manifest("version = '1'")


def test_quotes_in_command_are_parsed_as_in_a_shell(manifest):
    assert manifest("name = 'a'\ncommand = '''run \"two words\" *.txt $HOME'''").command == (
        "run",
        "two words",
        "*.txt",
        "$HOME",
    )


def test_every_error_is_reported_at_once(manifest):
    text = """
        name = "a#1"
        version = 2
        command = 7
        build = []
        start_time_s = 0
        colour = "red"
        [environment]
        CHEATARENA_TOKEN = "mine"
        "A B" = "x"
        LEVEL = 3
    """

    with pytest.raises(OptionsError) as refusal:
        manifest(text)

    assert [fault.field.rpartition(": ")[2] for fault in refusal.value.faults] == [
        "name",
        "version",
        "command",
        "build",
        "environment.CHEATARENA_TOKEN",
        "environment.A B",
        "environment.LEVEL",
        "start_time_s",
        "colour",
    ]
    expected = "bot.toml: colour = 'red' is refused: unknown key; known: name, version, command, build"
    assert expected in str(refusal.value)


@pytest.mark.parametrize(
    "line",
    [
        "command = ''",
        "command = []",
        "command = ['']",
        "command = ['a', 3]",
        "command = 7",
        "command = '''unclosed \"'''",
        'command = "a\\u0000b"',
        "command = 'a'\nstart_time_s = 601",
        "command = 'a'\nstart_time_s = nan",
        "command = 'a'\nstart_time_s = true",
        "command = 'a'\nstart_time_s = '5'",
        "command = 'a'\nenvironment = 'X=1'",
        'command = "a"\nenvironment = {A = "\\u0000"}',
        'command = "a"\nversion = "\\u001b[2J"',
        "language = 'cobol'",
        "language = ['go']",
        "image = ''",
        "image = '-v /:/host'",
        "image = 'UPPER'",
        "language = 'go'\nimage = 'zig'",
        "pools = 'main'",
        "pools = ['main', 'main']",
        "pools = ['a/b']",
        "pools = [3]",
        "resources = 512",
        "resources = { memory_gb = 1 }",
        "resources = { memory_mb = 512.5 }",
        "resources = { memory_mb = 15 }",
        "resources = { processes = true }",
        "resources = { processes = 4097 }",
        "resources = { cpus = 0 }",
        "resources = { cpus = nan }",
        "resources = { scratch_mb = '64' }",
    ],
)
def test_invalid_value_is_refused(manifest, line):
    with pytest.raises(OptionsError) as refusal:
        manifest(f"name = 'a'\n{line}")

    assert len(refusal.value.faults) == 1


@pytest.mark.parametrize(
    "data", [b"name = ", b"[a]\n[a]", b"a = " + b"[" * 5_000 + b"]" * 5_000, b"a = " + b"9" * 5_000]
)
def test_invalid_toml_is_refused(tmp_path, data):
    (tmp_path / "bot.toml").write_bytes(data)

    with pytest.raises(NotationError, match=r"bot\.toml': expected TOML"):
        read_manifest(tmp_path / "bot.toml")


def test_missing_or_oversized_manifest_is_refused(tmp_path):
    with pytest.raises(BotStartError, match="cannot be read: No such file"):
        read_manifest(tmp_path / "bot.toml")

    (tmp_path / "bot.toml").write_bytes(b"#" * 100_000)
    with pytest.raises(BotStartError, match="larger than 65536 bytes"):
        read_manifest(tmp_path / "bot.toml")
