"""Writes decisions as CSV or Parquet."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.errors import NotInstalledError, RequestError
from arena.replays.decisions.decision_table import COLUMNS, DecisionRow
from arena.replays.narration.text_format import safe_cell_text

_ENDINGS: Final = (".csv", ".parquet")
_NUMBERS: Final = ("game", "turn", "seat", "asked_us", "allowed_us", "think_us", "hand_size", "place")
_TRUTHS: Final = ("is_lie", "answers_a_lie")


def check_table_file(path: Path) -> None:
    """Raise RequestError for a file name with another ending, and for Parquet without pyarrow."""
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise RequestError(f"a table of decisions is a file FILE.csv or FILE.parquet, not {path.name!r}")
    if ending == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401, PLC0415  only an extra of the package installs it
        except ImportError as error:
            raise NotInstalledError(
                "a Parquet file needs the package pyarrow: pip install pyarrow, or write FILE.csv"
            ) from error


WriteRows = Callable[[Sequence[DecisionRow]], None]


@contextmanager
def open_decision_file(path: Path) -> Iterator[WriteRows]:
    """Open a file that `check_table_file` accepts, for rows that come in parts. Yields the function that writes a part.

    The file appears when all is written: until then, and after an error, an older one stays. Raises OSError.
    """
    unfinished = path.with_name(f"{path.name}.part")
    open_table = _open_csv if path.suffix.lower() == ".csv" else _open_parquet
    try:
        with open_table(unfinished) as write:
            yield write
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _open_csv(path: Path) -> Iterator[WriteRows]:
    """Write UTF-8 with one header line. Unknown values are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)

        def write(rows: Sequence[DecisionRow]) -> None:
            for row in rows:
                cells = row.as_dict().values()
                writer.writerow([safe_cell_text(cell) if isinstance(cell, str) else cell for cell in cells])

        yield write


@contextmanager
def _open_parquet(path: Path) -> Iterator[WriteRows]:
    """Write a row group for each part."""
    import pyarrow as pa  # noqa: PLC0415  only an extra of the package installs it
    from pyarrow import parquet  # noqa: PLC0415  as above

    types = {name: pa.int64() for name in _NUMBERS} | {name: pa.bool_() for name in _TRUTHS}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    with path.open("wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def write(rows: Sequence[DecisionRow]) -> None:
            writer.write_table(pa.Table.from_pylist([row.as_dict() for row in rows], schema=schema))

        yield write
