"""What a `BOT` means: each form finds its program, each mistake is one sentence."""

import os
import sys
from pathlib import Path

import pytest

from arena.bots.launch.manifest import DEFAULT_START_TIME_S
from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot, sample_names
from arena.errors import BotStartError, OptionError, UnknownNameError


def program(text: str, **options) -> BotProgram:
    found = find_bot(text, **options)
    assert isinstance(found, BotProgram)
    return found


def put(path: Path, text: str = "", mode: int = 0o644) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.fixture
def samples(tmp_path):
    """Two languages with a name in common."""
    root = tmp_path / "samples"
    put(root / "python" / "counter" / "bot.py")
    put(root / "python" / "rusher" / "bot.py")
    put(root / "node" / "counter" / "bot.toml", f"name = 'counter-js'\ncommand = ['{sys.executable}', 'bot.js']")
    put(root / "node" / "counter" / "node_modules" / "x" / "bot.py")
    put(root / "python" / "notes" / "README.md")
    return [root]


def test_script_runs_with_our_python_in_its_folder(tmp_path, monkeypatch):
    """Its output is unbuffered, so that its last words are not lost."""
    script = put(tmp_path / "bots" / "mybot.py")
    monkeypatch.chdir(tmp_path)

    found = program("bots/mybot.py")

    assert found == BotProgram(
        "mybot", (sys.executable, "-u", str(script)), script.parent, words=(None,), files=(script,)
    )
    assert found.start_time_s == DEFAULT_START_TIME_S


def test_author_of_a_slow_bot_is_told_where_its_time_is_set(tmp_path):
    """A bot without a manifest needs a folder for one first."""
    put(tmp_path / "slow" / "bot.py")
    alone, scripted = (program(str(each)).start_advice for each in (put(tmp_path / "slow.py"), tmp_path / "slow"))
    put(tmp_path / "slow" / "bot.toml", "name = 'slow'")
    declared = program(str(tmp_path / "slow")).start_advice

    assert alone == scripted == "If it loads for longer, set start_time_s in a bot.toml, in a folder with the bot"
    assert declared == "If it loads for longer, set start_time_s in its bot.toml"
    assert program("sample:counter").start_advice == ""


@pytest.mark.parametrize("manifest", ["", "name = 'mine'"])
def test_script_beside_a_file_that_hides_the_sdk_is_refused(tmp_path, manifest):
    """It would import that file instead of the package, so the package could tell nobody."""
    put(tmp_path / "bot.py")
    hiding = put(tmp_path / "cheatarena.py")
    if manifest:
        put(tmp_path / "bot.toml", manifest)

    with pytest.raises(BotStartError, match=f"{hiding} hides the package cheatarena, which the bot needs: rename it"):
        find_bot(str(tmp_path))


def test_folder_with_script_is_named_after_the_folder(tmp_path):
    script = put(tmp_path / "cautious" / "bot.py")

    assert program(str(script.parent)) == program(str(script))
    assert program(str(script)).name == "cautious"


def test_manifest_and_its_folder_are_equivalent(tmp_path):
    text = "name = 'counter'\ncommand = './run.sh now'\nversion = '2'\nenvironment = {LEVEL = '3'}\nstart_time_s = 30"
    put(tmp_path / "run.sh", "#!/bin/sh\n", 0o755)
    manifest = put(tmp_path / "bot.toml", text)

    found = program(str(manifest))

    assert found == program(str(tmp_path))
    assert found == BotProgram(
        name="counter",
        command=(str(tmp_path / "run.sh"), "now"),
        folder=tmp_path,
        environment={"LEVEL": "3"},
        start_time_s=30,
        version="2",
        words=("./run.sh", "now"),
    )


def test_manifest_takes_precedence_over_script(tmp_path):
    put(tmp_path / "bot.py")
    put(tmp_path / "bot.toml", f"name = 'other'\ncommand = '{sys.executable} bot.py'")

    assert program(str(tmp_path)).name == "other"


def test_folder_uses_its_own_python(tmp_path):
    """Its `.venv` comes first on the path, as if it had been activated."""
    python = put(tmp_path / ".venv" / "bin" / "python", "#!/bin/sh\n", 0o755)
    put(tmp_path / "bot.toml", "name = 'a'\ncommand = 'python bot.py'")

    found = program(str(tmp_path))

    assert found.command == (str(python), "bot.py")
    assert found.environment["VIRTUAL_ENV"] == str(tmp_path / ".venv")
    assert found.environment["PATH"].split(os.pathsep)[0] == str(python.parent)


def test_manifest_without_command_runs_the_script_with_our_python(tmp_path):
    put(tmp_path / "bot.toml", "name = 'ann'\nversion = '2'")
    put(tmp_path / "bot.py", "")

    found = program(str(tmp_path))

    assert (found.name, found.version, found.folder) == ("ann", "2", tmp_path)
    assert found.command == (sys.executable, "-u", "bot.py")


def test_manifest_without_command_prefers_the_python_of_its_folder(tmp_path):
    python = put(tmp_path / ".venv" / "bin" / "python", "#!/bin/sh\n", 0o755)
    put(tmp_path / "bot.toml", "name = 'ann'")
    put(tmp_path / "bot.py", "")

    assert program(str(tmp_path)).command == (str(python), "-u", "bot.py")


def test_build_output_need_not_exist_yet(tmp_path):
    put(tmp_path / "bot.toml", "name = 'a'\ncommand = './target/bot'\nbuild = 'make'")

    found = program(str(tmp_path))

    assert found.build == ("make",)
    assert found.command == ("./target/bot",)


def test_program_is_run_unchanged(tmp_path):
    path = put(tmp_path / "fast bot", "#!/bin/sh\n", 0o755)

    assert program(str(path)) == BotProgram("fast bot", (str(path),), tmp_path, words=(None,), files=(path,))


def test_command_runs_in_current_folder(tmp_path, monkeypatch):
    """It is named after its script, if it has one."""
    put(tmp_path / "bots" / "liar.js")
    monkeypatch.chdir(tmp_path)

    found = program("sh -e bots/liar.js 'two words'")

    assert found.name == "liar"
    assert found.command[1:] == ("-e", "bots/liar.js", "two words")
    assert Path(found.command[0]).is_absolute()
    assert found.folder == tmp_path
    assert program("sh").name == "sh"
    assert program("sh " + "a" * 5_000).command[1] == "a" * 5_000


def test_sample_is_found_by_name(samples):
    found = program("sample:rusher", samples=samples)

    assert found.name == "rusher"
    assert found.command == (sys.executable, "-u", str(samples[0] / "python" / "rusher" / "bot.py"))


def test_sample_in_several_languages_is_named_with_its_language(samples):
    assert program("sample:node/counter", samples=samples).name == "counter-js"
    assert program("sample:python/counter", samples=samples).name == "counter"
    with pytest.raises(BotStartError, match="sample:node/counter or sample:python/counter"):
        find_bot("sample:counter", samples)


@pytest.mark.parametrize("name", ["", "nobody", "../python/rusher", "python/", "notes"])
def test_unknown_sample_error_lists_known_ones(samples, name):
    with pytest.raises(UnknownNameError, match="known: counter, rusher"):
        find_bot(f"sample:{name}", samples)


def test_misspelled_sample_is_suggested():
    with pytest.raises(UnknownNameError, match=r"; did you mean sample:honest\?$"):
        find_bot("sample:honst")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("honest", "sample:honest"),
        ("samples:honest", "sample:honest"),
        ("mybot", "mybot.py"),
        ("mybto.py", "mybot.py"),
        ("./mybto.py", "./mybot.py"),
        ("deep/bottle", "deep/botle"),
    ],
)
def test_missing_bot_is_suggested(tmp_path, monkeypatch, text, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mybot.py").touch()
    (tmp_path / "deep" / "botle").mkdir(parents=True)
    (tmp_path / "deep" / "botle" / "bot.py").touch()

    with pytest.raises(BotStartError, match=rf"^there is no bot '{text}': expected .*; did you mean {meant}\?$"):
        find_bot(text)


def test_unlike_bot_has_no_suggestion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(BotStartError, match=r"remote:NAME$"):
        find_bot("zzz")


def test_installed_samples_can_be_listed():
    """No name appears twice, and each can be found."""
    names = sample_names()

    assert names == sorted(set(names))


def test_remote_bot_connects_by_itself():
    assert find_bot("remote:counter") == RemoteBot("counter")
    with pytest.raises(OptionError, match="remote"):
        find_bot("remote:")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the bot is empty"),
        ("nobody.py", "there is no bot 'nobody.py'"),
        ("no-such-program", "there is no bot 'no-such-program'"),
        ("no-such-program --fast", "'no-such-program' is not installed"),
        ("./none --fast", "there is no program .*/none"),
        ("sh 'unclosed", "cannot read the command"),
        ("sh a\0b", "an argument cannot contain NUL"),
        ("~a\0b", "an argument cannot contain NUL"),
        ("./" + "long" * 99 + " --fast", "there is no program .*/longlong"),
        ("~nobody-at-all/bot.py", "there is no bot '~nobody-at-all/bot.py'"),
        ("plain.txt", "is not executable"),
        ("./plain.txt --fast", "is not executable"),
        ("empty", "holds no bot: expected bot.toml or bot.py"),
        ("broken", "there is no program .*/gone"),
    ],
)
def test_each_error_is_one_sentence(tmp_path, monkeypatch, text, sentence):
    put(tmp_path / "plain.txt")
    (tmp_path / "empty").mkdir()
    put(tmp_path / "broken" / "bot.toml", "name = 'a'\ncommand = './gone'")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(BotStartError, match=sentence) as refusal:
        find_bot(text)

    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("command", ["{outside}", "../{name}"])
def test_nobody_learns_from_a_manifest_which_files_are_outside_its_folder(tmp_path, command):
    """The author of a submitted bot reads the sentence, which is the same whether or not there is such a file."""
    sentences = []
    put(tmp_path / "secret")
    for name in ("secret", "absent"):
        text = command.format(outside=tmp_path / name, name=name)
        put(tmp_path / "bot" / "bot.toml", f"name = 'a'\ncommand = '{text}'")
        with pytest.raises(BotStartError) as refusal:
            find_bot(str(tmp_path / "bot"))
        sentences.append(str(refusal.value).replace(name, "NAME"))

    assert sentences[0] == sentences[1]


def test_built_folder_is_not_built_again(tmp_path):
    """The program may have been made by the build, so it is looked up when it is started."""
    put(tmp_path / "bot.toml", 'name = "bot"\nbuild = "make"\ncommand = "out/bot --fast"')

    found = program(f"built:{tmp_path}")

    assert (found.build, found.command, found.folder) == ((), ("out/bot", "--fast"), tmp_path)
