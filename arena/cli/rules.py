"""`arena rules`: shows games, presets and options, and checks the rules against scenario files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.present import present
from arena.errors import RequestError, UnknownNameError
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.cli.ruleset_docs import OptionDoc
    from arena.games.scenarios import ScenarioReport
    from arena.match.game import Game

WIDTH = 100

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """List the games and their presets, with the options that each preset changes."""
    from arena.cli.ruleset_docs import preset_changes
    from arena.games.catalogue import games

    presets = [(game, preset, preset_changes(game, preset)) for game in games().values() for preset in game.presets]
    plain = [{"game": g.name, "version": g.version, "preset": p, "changes": dict(c)} for g, p, c in presets]
    present(plain, json, (_preset_line(*each) for each in presets))


@app.command()
def show(
    preset: Annotated[
        str, typer.Argument(metavar="PRESET", help="A preset, with or without its game, such as cheat/standard.")
    ],
    json: JsonOption = False,
) -> None:
    """Explain the rules of a preset, then list every option with its value, default, allowed values and meaning."""
    from arena.cli.ruleset_docs import option_docs, rule_sentences
    from arena.games.catalogue import games

    game, name = _find_preset(preset, games())
    sentences, docs = rule_sentences(game, name), option_docs(game, name)
    plain = {
        "game": game.name,
        "version": game.version,
        "preset": name,
        "rules": [{"sentence": sentence, "differs": differs} for sentence, differs in sentences],
        "options": [asdict(page) for page in docs],
    }
    present(plain, json, _preset_lines(game, name, sentences, docs))


@app.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Scenario file; docs/rules/cases.md describes its format.")
    ],
    preset: Annotated[str | None, typer.Option(help="Only the cases of this preset.")] = None,
    json: JsonOption = False,
) -> int:
    """Check the rules against a file of scenarios.

    Exit code 1 if a case fails. Cases of games or presets that this version does not have are skipped.
    """
    from arena.games.catalogue import scenario_adapter_of
    from arena.games.scenarios import CaseVerdict, run_file

    report = run_file(file, scenario_adapter_of, preset)
    present(report.as_dict(), json, _report_lines(report))
    return ExitCode.NO if report.count(CaseVerdict.FAILED) else ExitCode.YES


def _find_preset(wanted: str, games: "Mapping[str, Game]") -> "tuple[Game, str]":
    """Return the game and name of a preset. Raises UnknownNameError, or RequestError if several games have it.

    `wanted` is a preset, with or without its game.
    """
    everything = [(game, preset) for game in games.values() for preset in game.presets]
    found = [(game, preset) for game, preset in everything if wanted in (preset, f"{game.name}/{preset}")]
    if not found:
        raise UnknownNameError("preset", wanted, [f"{game.name}/{preset}" for game, preset in everything])
    if len(found) > 1:
        names = " or ".join(f"{game.name}/{preset}" for game, preset in found)
        raise RequestError(f"several games have a preset {wanted!r}: choose {names}")
    return found[0]


def value_text(value: object) -> str:
    """Return a plain value in the form that --set takes.

    >>> value_text(["same", "more"]), value_text(True), value_text([])
    ('same,more', 'true', 'none')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _preset_line(game: "Game", preset: str, changed: Mapping[str, object]) -> str:
    what = ", ".join(f"{name} {value_text(value)}" for name, value in changed.items())
    return f"{f'{game.name}/{preset}':<24} {what or 'all options have their defaults'}"


def _preset_lines(
    game: "Game", preset: str, sentences: Sequence[tuple[str, bool]], docs: "Sequence[OptionDoc]"
) -> Iterator[str]:
    yield f"{game.name}/{preset}, rules version {game.version}\n"
    for sentence, differs in sentences:
        yield from (line[2:] for line in _wrap_indented(f"{'*' if differs else ' '} {sentence}", 2))
    yield "\n(* differs from the default)\n\nOptions:"
    for page in docs:
        yield ""
        yield from _option_lines(page)
    match_help = arena_command("match", "--help")
    yield f"\nThe rules have no time limits. They belong to the pace of a match: see {match_help}"


def _option_lines(page: "OptionDoc") -> Iterator[str]:
    default = "the default" if page.value == page.default else f"differs, default {value_text(page.default)}"
    yield from _wrap_indented(f"{page.name} = {value_text(page.value)}   ({default})", 0)
    yield from _wrap_indented(page.meaning, 4)
    yield from _wrap_indented(f"Allowed: {page.allowed}.", 4)
    width = max((len(word) for word in page.choices), default=0) + 2
    for word, meaning in page.choices.items():
        if meaning:
            yield from _wrap_indented(f"{word:<{width}}{meaning}", 8)


def _wrap_indented(text: str, indent: int) -> list[str]:
    return wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)


def _report_lines(report: "ScenarioReport") -> Iterator[str]:
    """Yield the failed cases with their differences, then why other cases were not run, then a summary."""
    from arena.games.scenarios import CaseVerdict

    for result in report.results:
        if result.verdict is CaseVerdict.FAILED:
            yield f"FAILED {result.id}  {result.title}"
            yield from (f"    {difference}" for difference in result.differences)
    ids_by_need: dict[str, list[str]] = {}
    for result in report.results:
        if result.missing:
            ids_by_need.setdefault(" and ".join(result.missing), []).append(result.id)
    for missing, ids in ids_by_need.items():
        yield from _wrap_indented(f"not run, because {missing} is missing: {', '.join(ids)}", 0)
    counts = [f"{report.count(verdict)} {verdict.value.replace('_', ' ')}" for verdict in CaseVerdict]
    yield ", ".join(counts)
