"""Paces as fields of an organizer's request."""

from typing import Any

from cheatarena.v1 import match_pb2, ruleset_pb2


def pace_request_fields(pace: ruleset_pb2.Pace | None) -> dict[str, Any]:
    """Return the fields of a CreateMatchRequest that ask for exactly this pace; no fields for the default pace."""
    if pace is None:
        return {}
    names = [field.name for field in pace.DESCRIPTOR.fields if field.name != "style"]
    settings = [match_pb2.OptionSetting(name=name, value=str(getattr(pace, name)).lower()) for name in names]
    return {"pace": pace.style, "pace_options": settings}
