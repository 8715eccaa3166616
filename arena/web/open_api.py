"""Describes the JSON of the pages as a document of OpenAPI 3.1, made from their types."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from pydantic import TypeAdapter

from arena import __version__
from arena.web.page import PageRoute, Parameter

_REFERENCE: Final = "#/components/schemas/{model}"
_ERROR: Final = {
    "type": "object",
    "properties": {"status": {"type": "integer"}, "error": {"type": "string"}},
    "required": ["status", "error"],
}

_SESSION: Final = {
    "type": "apiKey",
    "in": "cookie",
    "name": "__Host-session",
    "description": "The session of an owner who has logged in; called `session` if the site has no TLS.",
}


@lru_cache(1)
def describe_pages(pages: Sequence[PageRoute]) -> bytes:
    schemas: dict[str, Any] = {"Error": _ERROR}
    paths: dict[str, dict[str, Any]] = {}
    for route in pages:
        paths.setdefault(route.json_path or route.path, {})[route.method.lower()] = _describe_page(route, schemas)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "cheatarena",
            "version": __version__,
            "description": "What the pages of this site show, for machines. Each page has its JSON at the same path.",
        },
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"session": _SESSION}},
    }
    return msgspec.json.encode(document)


def _describe_page(route: PageRoute, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas that the type of the page needs are added to `schemas`."""
    content: dict[str, Any] = {route.media_type: {}}
    if route.view is not None:
        content = {"application/json": {"schema": _schema_of(route.view, schemas)}}
    error = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return {
        "summary": route.summary,
        "parameters": [_describe_parameter(each) for each in route.parameters],
        "responses": {
            "200": {"description": route.summary, "content": content},
            "default": {"description": "A refusal, in one sentence", **error},
        },
        "security": [{"session": []}] if route.is_private else [],
    }


def _schema_of(view: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = TypeAdapter(view).json_schema(mode="serialization", ref_template=_REFERENCE)
    schemas |= schema.pop("$defs", {})
    if "title" not in schema:
        return schema
    name = str(schema["title"])
    schemas[name] = schema
    return {"$ref": _REFERENCE.format(model=name)}


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "path" if parameter.in_path else "query",
        "required": parameter.in_path,
        "description": parameter.meaning,
        "schema": {"type": "integer" if parameter.kind is int else "string"},
    }
