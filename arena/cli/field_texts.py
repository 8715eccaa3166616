"""Reads the text below each field of a class, so that help and reference never describe a setting otherwise."""

import ast
import inspect
from textwrap import dedent


def field_texts(kind: type) -> dict[str, str]:
    """Return the docstrings under the attributes of a class or the members of an enum, each on one line."""
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for statement, below in zip(body.body, body.body[1:], strict=False):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=text)),
            ):
                texts[name] = " ".join(str(text).split())
            case _:
                pass
    return texts
