"""Writes the reference of the contract: a page for each .proto file, with each service, message, field and enum.

Usage::

    python proto/reference.py [FOLDER]      FOLDER: docs/contract, unless given; its pages are replaced
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

PROTO = Path(__file__).parent
PAGES = PROTO.parent / "docs" / "contract"
MESSAGES, ENUMS, SERVICES, PACKAGE, MEMBERS = 4, 5, 6, 2, 2
"""Numbers of fields in descriptors: the paths of comments consist of them and of indexes."""
PREFIX = ".cheatarena.v1."
INTRODUCTION = """# Reference of the contract

Every service, message, field and enum of `cheatarena.v1`, with the text of its comment. `make generate` writes these
pages from [`proto/cheatarena/v1`](../../proto/cheatarena/v1). How to use them is in the [protocol
guide](../../proto/README.md).

| page | |
|---|---|
"""


class Page:
    """The reference of one file."""

    def __init__(self, file: FileDescriptorProto, homes: dict[str, str]) -> None:
        """`homes` has the page of each type."""
        self._file = file
        self._homes = homes
        self._comments = {
            tuple(each.path): " ".join(each.leading_comments.split()) for each in file.source_code_info.location
        }
        self._map_entries = {
            f"{PREFIX}{message.name}.{entry.name}": entry
            for message in file.message_type
            for entry in message.nested_type
        }
        self.name = Path(file.name).stem

    @property
    def about(self) -> str:
        """What the file is about."""
        return self._comments[PACKAGE,]

    def write(self) -> str:
        """Return the page as Markdown."""
        file = self._file
        parts = [f"# {self.name}.proto", self.about]
        parts += [self._service(index, each) for index, each in enumerate(file.service)]
        parts += [self._message(index, each) for index, each in enumerate(file.message_type)]
        parts += [self._enum(index, each) for index, each in enumerate(file.enum_type)]
        return "\n\n".join(parts) + "\n"

    def _service(self, index: int, service: ServiceDescriptorProto) -> str:
        rows = []
        for number, method in enumerate(service.method):
            takes = "stream of " * method.client_streaming + self._link(method.input_type)
            gives = "stream of " * method.server_streaming + self._link(method.output_type)
            rows.append((f"`{method.name}`", takes, gives, self._comments[SERVICES, index, MEMBERS, number]))
        about = self._comments[SERVICES, index]
        return _section(service.name, about, ("method", "request", "response", ""), rows)

    def _message(self, index: int, message: DescriptorProto) -> str:
        rows = []
        for place, field in enumerate(message.field):
            text = self._comments[MESSAGES, index, MEMBERS, place]
            if field.HasField("oneof_index") and not field.proto3_optional:
                text += f" (One of `{message.oneof_decl[field.oneof_index].name}`.)"
            rows.append((str(field.number), f"`{field.name}`", self._type_of(field), text))
        about = self._comments[MESSAGES, index]
        return _section(message.name, about, ("number", "field", "type", ""), rows)

    def _enum(self, index: int, enum: EnumDescriptorProto) -> str:
        rows = [
            (str(value.number), f"`{value.name}`", self._comments[ENUMS, index, MEMBERS, place])
            for place, value in enumerate(enum.value)
        ]
        return _section(enum.name, self._comments[ENUMS, index], ("number", "value", ""), rows)

    def _type_of(self, field: FieldDescriptorProto) -> str:
        entry = self._map_entries.get(field.type_name)
        if entry is not None:
            key, value = entry.field
            return f"map of {self._type_of(key)} to {self._type_of(value)}"
        label = "optional " if field.proto3_optional else ""
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            label = "repeated "
        plain = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
        return label + (self._link(field.type_name) if field.type_name else plain)

    def _link(self, type_name: str) -> str:
        name = type_name.removeprefix(PREFIX)
        page = "" if self._homes[name] == self.name else f"{self._homes[name]}.md"
        return f"[{name}]({page}#{name.lower()})"


def _section(title: str, about: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a heading, a text and a table; no table if it has no rows."""
    lines = [f"## {title}", "", about]
    if rows:
        lines += ["", _row(heads), _row(["---"] * len(heads)), *(_row([_escape(cell) for cell in row]) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("  |", " |")


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")


def compile_contract() -> list[FileDescriptorProto]:
    """Return the compiled files with their comments, by name. Raises RuntimeError if they do not compile."""
    files = sorted(str(path) for path in PROTO.glob("cheatarena/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "contract.binpb"
        words = ["protoc", f"-I{PROTO}", "--include_source_info", f"--descriptor_set_out={out}", *files]
        if protoc.main(words):
            raise RuntimeError("the contract does not compile")
        compiled = FileDescriptorSet.FromString(out.read_bytes()).file
    return sorted(compiled, key=lambda file: file.name)


def build_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    files = compile_contract()
    homes = {
        name: Path(file.name).stem
        for file in files
        for name in [each.name for each in file.message_type] + [each.name for each in file.enum_type]
    }
    pages = [Page(file, homes) for file in files]
    listed = [_row((f"[{page.name}.proto]({page.name}.md)", _escape(page.about))) for page in pages]
    yield "README.md", INTRODUCTION + "\n".join(listed) + "\n"
    for page in pages:
        yield f"{page.name}.md", page.write()


def main(folder: Path) -> None:
    """Replace the pages of a folder."""
    pages = dict(build_pages())
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
