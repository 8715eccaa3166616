"""No guide with shell in it is left out."""

import re

from tests.guides.reader import ROOT

ELSEWHERE = {
    "CONTRIBUTING.md": "CI makes such an environment and runs these commands",
    "arena/README.md": "the first page and the guide to comparisons have the same lines",
    "docs/cluster.md": "make cluster starts machines and plays leagues on them",
    "docs/containers.md": "test_deployment.py checks the commands, make box-vm runs them where docker is",
    "docs/course.md": "tests/cli/test_course.py follows it",
    "proto/README.md": "make guide-lines runs the lines of each language",
    "sample_bots/cpp/README.md": "make bots builds and tests it",
    "sample_bots/go/README.md": "make bots builds and tests it",
    "sample_bots/java/README.md": "make bots builds and tests it",
    "sample_bots/rust/README.md": "make bots builds and tests it",
    "sample_bots/typescript/README.md": "make bots builds and tests it",
}
"""Guides whose blocks no reader types, and who runs their lines instead."""


def test_every_guide_with_shell_is_followed():
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("sample_bots/*/README.md"),
    ]
    with_shell = {str(page.relative_to(ROOT)) for page in pages if "\n```sh\n" in page.read_text(encoding="utf-8")}
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "guides").glob("test_*guide*.py"))
    followed = set(re.findall(r'Reader\("(.*?)"', tests))

    assert with_shell - followed == set(ELSEWHERE)
