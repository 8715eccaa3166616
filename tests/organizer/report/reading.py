"""A page as a strict reader sees it: elements, texts, tables; what is not well-formed is an error."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "br", "input", "link"}


class Page(HTMLParser):
    """Reads a page at once."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Counter[tuple[str, tuple[str, ...], str]] = Counter()
        """Name, names of attributes, class: how often."""
        self.attributes: list[tuple[str, str, str]] = []
        """Element, attribute, value."""
        self.texts: list[str] = []
        self.others: list[str] = []
        """Comments, declarations, instructions."""
        self.tables: dict[str, list[list[str]]] = {}
        """By the id of their section and their number in it: rows of cells."""
        self._open: list[str] = []
        self._section, self._count = "", 0
        self._rows: list[list[str]] | None = None
        self._in_cell = False
        self.feed(html)
        self.close()
        assert self._open == [], f"left open: {self._open}"

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute twice in {tag}: {attrs}"
        self.elements[tag, tuple(given), given.get("class") or ""] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)
        if tag == "section":
            self._section, self._count = given["id"] or "", 0
        if tag == "table":
            self._rows = self.tables[f"{self._section}/{self._count}"] = []
            self._count += 1
        if self._rows is not None and tag == "tr":
            self._rows.append([])
        if self._rows is not None and tag in ("td", "th"):
            self._rows[-1].append("")
            self._in_cell = True

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self._open, f"{tag} is closed, but nothing is open"
        assert self._open.pop() == tag, f"{tag} is closed out of turn"
        if tag == "table":
            self._rows = None
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data):
        self.texts.append(data)
        if self._in_cell and self._rows is not None and "svg" not in self._open:
            self._rows[-1][-1] += data

    def handle_comment(self, data):
        self.others.append(data)

    def handle_decl(self, decl):
        self.others.append(decl)

    def handle_pi(self, data):
        self.others.append(data)

    def unknown_decl(self, data):
        self.others.append(data)

    @property
    def words(self) -> str:
        """Everything that somebody can read."""
        return "".join(self.texts)

    def values(self, attribute: str) -> list[str]:
        """All values of an attribute."""
        return [value for _, name, value in self.attributes if name == attribute]
