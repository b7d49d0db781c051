"""Plans as JSON, for files, proposers and the wire. Whether a plan can be carried out is not asked here."""

from __future__ import annotations

import msgspec

from framework.errors import PlanError
from framework.plan.ast import Plan
from framework.unreadable import UNREADABLE

_decoder: msgspec.json.Decoder[Plan] = msgspec.json.Decoder(Plan)


def to_json(plan: Plan) -> bytes:
    """One JSON object; each node says its `kind`."""
    return msgspec.json.encode(plan)


def from_json(data: bytes | str) -> Plan:
    """The plan of a JSON text. Raises PlanError that says what is wrong and where."""
    try:
        return _decoder.decode(data)
    except RecursionError as error:
        raise PlanError("This is no plan: it is nested without end; 32 levels are allowed.") from error
    except (UnicodeError, *UNREADABLE) as error:  # ValidationError is a DecodeError
        raise PlanError(f"This is no plan: {error}. A plan is an object like {_EXAMPLE}") from error


_EXAMPLE = '{"kind": "do", "action": "show_environment"}'
