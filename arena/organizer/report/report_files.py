"""Writes a report into a folder: the page, its tables, and the JSON document."""

from pathlib import Path
from typing import Final

from arena.organizer.report.csv_tables import write_tables
from arena.organizer.report.report_json import write_report_json
from arena.organizer.report.report_links import ReportLinks
from arena.organizer.report.report_page import render_report
from arena.organizer.report.view import LeagueView

PAGE: Final = "report.html"
DOCUMENT: Final = "report.json"


def write_report(view: LeagueView, folder: Path) -> Path:
    """Write a report into a folder and return the path of its page. Replaces an earlier report. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    page.write_text(render_report(view, ReportLinks(files=write_data(view, folder))), encoding="utf-8")
    return page


def write_data(view: LeagueView, folder: Path) -> list[str]:
    """Write the files for machines and return their names."""
    write_report_json(view, folder / DOCUMENT)
    return [DOCUMENT, *write_tables(view, folder)]
