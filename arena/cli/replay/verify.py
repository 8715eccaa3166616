"""`arena replay verify`: checks a file that `arena replay export` wrote."""

import json as json_format
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.present import present
from arena.cli.replay.library_access import query_library
from arena.errors import RequestError
from arena.plurals import format_count
from arena.text_files import decode_text

if TYPE_CHECKING:
    from arena.replays.proof.verification import CheckResult


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File written by `arena replay export`.")],
    receipt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Receipts of a bot, to check that the cards were fixed before the match."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Data folder with the chain of deals, to check that it has no gap. Default: not checked."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Check a replay from the commitment to the result.

    Prints one sentence per check. Exit code 0 if all checks succeed, 1 if one fails.
    """
    checks = _run_checks(file, receipt, data)
    plain = [{"is_true": each.is_true, "sentence": each.sentence} for each in checks]
    present(plain, json, _check_lines(checks))
    return ExitCode.YES if all(each.is_true for each in checks) else ExitCode.NO


def _check_lines(checks: "Sequence[CheckResult]") -> Iterator[str]:
    failed = sum(not each.is_true for each in checks)
    yield from (f"{'yes' if each.is_true else 'NO':<4} {each.sentence}" for each in checks)
    why = f"{failed} of {format_count(len(checks), 'check')} failed"
    yield f"\nthe replay does not hold: {why}" if failed else "\nthe replay holds"


def _run_checks(file: Path, receipt: Path | None, data: Path | None) -> "list[CheckResult]":
    """Check a replay, and its link in the chain of deals if `data` is given."""
    from arena.games.catalogue import games
    from arena.replays.proof.replay_document import DamagedReplayError, load_document
    from arena.replays.proof.verification import CheckResult, check_chain, verify_replay

    try:
        document = load_document(file)
    except DamagedReplayError as damage:
        return [CheckResult(False, str(damage))]
    checks = [CheckResult(True, "the file is whole, to the last bit")]
    checks += verify_replay(document, games(), None if receipt is None else _read_receipts(receipt))
    if data is not None:
        chain = query_library(data, lambda library: library.chain())
        checks.append(check_chain(chain, document))
    return checks


def _read_receipts(path: Path) -> list[dict[str, Any]]:
    """Read the receipts that a bot has saved, one JSON document per line.

    Raises RequestError if the file cannot be read or contains anything else.
    """
    try:
        lines = decode_text(path.read_bytes(), str(path)).splitlines()
        receipts = [json_format.loads(line) for line in lines if line.strip()]
        return [{name: str(each[name]) for name in ("digest", "signature", "public_key")} for each in receipts]
    except OSError as error:
        raise RequestError(f"the file {path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise RequestError(f"the file {path} holds no receipts: {error}") from error
