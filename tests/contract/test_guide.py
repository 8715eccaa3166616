"""The guide agrees with itself and with the contract: its sections, its diagrams and its lines for each language."""

import re

import grpc
import pytest
from google.protobuf import descriptor_pool

import cheatarena.v1.account_pb2
import cheatarena.v1.author_pb2
import cheatarena.v1.league_pb2
import cheatarena.v1.match_pb2
import cheatarena.v1.status_pb2
import cheatarena.v1.submission_pb2
import cheatarena.v1.watch_pb2  # noqa: F401  these seven load all files of the contract
from tests.contract.guide import ROOT, list_language_lines, read_guide, read_sections
from tests.contract.guide_lines import main

SYNTAX = {"sequenceDiagram"}


def on_one_line(text: str) -> str:
    """Return a text in which a sentence is found wherever its lines break."""
    return " ".join(text.split())


def test_sections_are_numbered_from_one():
    assert [*read_sections()] == [*range(1, len(read_sections()) + 1)]


@pytest.mark.parametrize("path", [
    "README.md", "proto/README.md", "sample_bots/README.md", "docs/first-server.md", "docs/architecture.md",
])  # fmt: skip
def test_references_name_sections_of_the_guide(path):
    """The next test checks some references more closely."""
    text = re.sub(r"RFC \d+, section [\d.]+", "", (ROOT / path).read_text(encoding="utf-8"))

    named = {int(number) for number in re.findall(r"[Ss]ections? (\d+)", text)}

    assert named <= read_sections().keys()


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        (r"`Ping` notice every 10 s \(section (\d+)\)", "**Ping**"),
        (r"with `UNAUTHENTICATED` \(section (\d+)\)", "`UNAUTHENTICATED`"),
        (r"only for a reconnect, see section (\d+)", "**Reconnecting.**"),
        (r"some of the limits of section (\d+)", "| limit | beyond it |"),
        (r"Section (\d+) says how entropy is used", "computed from S and from the entropy"),
        (r"before you saw them \(section (\d+)\)", "Your receipt comes before your first card"),
        (r"you get a strike \(section (\d+)\)", "For each strike you get a private `Fault`"),
        (r"still open \(section (\d+)\)", "Why a decision is refused"),
        (r"only at `lands_us` \(section (\d+)\)", "shows `lands_us`"),
        (r"a reason that section (\d+) marks as illegal", "| reason | what to do | strike |"),
        (r"to your own clock as in section (\d+)", "local clock - now_us"),
        (r"Section (\d+) lists every RPC with its scope", "| calls | scopes |"),
        (r"commits to the cards \(section (\d+)\)", "it commits to a secret"),
        (r"section (\d+) names those of CHEATER", "`CheaterHand` sets it"),
    ],
)
def test_references_lead_to_what_they_promise(sentence, word):
    found = re.search(sentence, on_one_line(read_guide()))

    assert found, "the guide has this sentence no longer"
    title, text = read_sections()[int(found[1])]
    assert word in title + text


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        (r"\[the deal to the byte\]\((\S+)\)", "| K | HMAC-SHA-256"),
        (r"\[the deal to the byte\]\((\S+)\)", "receipt-v2"),
    ],
)
def test_guide_leads_to_the_hashes(sentence, word):
    found = re.search(sentence, read_guide())

    assert found, "the guide has this sentence no longer"
    assert word in (ROOT / "proto" / found[1]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        (r"`min\(c div decks, 52\)` of the \[protocol\]\([^)#]*#(\d+)-", "52 is a joker"),
        (r"The \[end of the game\]\([^)#]*#(\d+)-[^)]*\) gives the places", "the winner gets place 1"),
    ],
)
def test_the_definition_of_a_deal_leads_back(sentence, word):
    found = re.search(sentence, on_one_line((ROOT / "docs/rules/deal.md").read_text(encoding="utf-8")))

    assert found, "the page has this sentence no longer"
    assert word in read_sections()[int(found[1])][1]


def test_diagrams_name_only_what_the_contract_has():
    """Messages, fields, statuses and reasons. There is a diagram of each phase."""
    diagrams = re.findall(r"```mermaid\nsequenceDiagram\n(.*?)```", read_guide(), re.DOTALL)
    pool = descriptor_pool.Default()
    files = [pool.FindFileByName(f"cheatarena/v1/{path.name}") for path in ROOT.glob("proto/cheatarena/v1/*.proto")]
    messages = {name for file in files for name in file.message_types_by_name}
    fields = {field.name for file in files for each in file.message_types_by_name.values() for field in each.fields}
    values = {value for file in files for each in file.enum_types_by_name.values() for value in each.values_by_name}

    assert len(diagrams) == 6
    words = {word for diagram in diagrams for word in re.findall(r"\w+", diagram)}
    assert {word for word in words if re.search("[a-z][A-Z]", word)} - SYNTAX <= messages
    assert {word for word in words if "_" in word and word.islower()} <= fields
    shouted = {word for word in words if re.fullmatch("[A-Z_]{3,}", word)} - {code.name for code in grpc.StatusCode}
    assert {word for word in shouted if not any(value.endswith(f"_{word}") for value in values)} == set()


def test_every_language_has_its_lines():
    """So none is left out because the guide is written in another form."""
    languages = [each.language for each in list_language_lines()]

    assert languages == ["Go", "TypeScript", "JavaScript", "Rust", "Java", "C++", "C#", "Python", "Ruby"]
    assert all(each.needs for each in list_language_lines())


def test_lines_that_fail_are_reported(monkeypatch, capsys):
    """A mistake in a printed line, and a file that the guide promises and no line writes."""
    (python,) = [each for each in list_language_lines() if each.language == "Python"]
    monkeypatch.setattr("tests.contract.guide_lines.list_language_lines", lambda: [
        type(python)("Python", "echo no such option; exit 3", python.written),
        type(python)("Python", "mkdir generated", "generated/play_pb2.py"),
    ])  # fmt: skip

    assert main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "guide: Python: FAILED:", "no such option", "guide: Python: FAILED: generated/play_pb2.py is not written"
    ]  # fmt: skip
