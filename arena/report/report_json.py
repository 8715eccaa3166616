"""Everything of a report as one document for machines: the view's own fields, as JSON in plain ASCII."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from arena.plain_data import to_finite_plain
from arena.report.view import LeagueView

FORMAT: Final = "cheatarena-league-report-1"


def write_report_json(view: LeagueView, file: Path) -> None:
    """Write the document, a line for each field of the view and for each item of a list."""
    write_json_object({"document": FORMAT} | {each.name: getattr(view, each.name) for each in fields(view)}, file)


def write_json_object(values: Mapping[str, Any], file: Path) -> None:
    """Write values as a JSON object, a line for each key and for each item of a list under one."""
    with file.open("w", encoding="ascii", newline="\n") as out:
        between = "{"
        for key, value in values.items():
            out.write(f"{between}{json.dumps(key)}: ")
            out.writelines(_json_lines(value))
            between = ",\n"
        out.write("}\n")


def _json_lines(value: Any) -> Iterator[str]:
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        yield "[\n"
        yield from ((",\n" if index else "") + _to_json(item) for index, item in enumerate(value))
        yield "]"
    else:
        yield _to_json(value)


def _to_json(value: Any) -> str:
    return json.dumps(to_finite_plain(value), allow_nan=False)
