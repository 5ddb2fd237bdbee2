"""Compares an answer with the types that a generated client declares for it.

Such a client takes whatever comes: a missing field becomes None or a default, an unknown word stays
a text. What it promises stands in its annotations, so the JSON is held against these: whatever is
not optional is there, and everything is of its type.
"""

import types
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

OPTIONAL = (Union, types.UnionType)
# How JSON writes what is declared.
PLAIN = {str: (str,), bool: (bool,), int: (int,), float: (int, float)}


def misfits(json, declared, where=""):
    """Every place where the JSON is not what was declared, as `path: what is wrong`."""
    origin, arguments = get_origin(declared), get_args(declared)
    if declared is Any:
        return []
    if origin in OPTIONAL:
        return [] if json is None else misfits(json, arguments[0], where)
    if origin is list and type(json) is list:
        items = enumerate(json)
        return [wrong for i, one in items for wrong in misfits(one, arguments[0], f"{where}[{i}]")]
    if origin is dict and type(json) is dict:
        items = json.items()
        return [wrong for key, one in items for wrong in misfits(one, arguments[1], f"{where}.{key}")]
    if is_dataclass(declared) and type(json) is dict:
        hints = get_type_hints(declared)
        names = [field.name for field in fields(declared)]
        return [wrong for name in names for wrong in misfit(json, name, hints[name], where)]
    return [] if fits(json, origin or declared) else [f"{where}: {json!r} is no {declared.__name__}"]


def misfit(json, name, declared, where):
    key = name.rstrip("_")  # `type_`, because Python has its own `type`.
    if key in json:
        return misfits(json[key], declared, f"{where}.{key}")
    return [] if get_origin(declared) in OPTIONAL else [f"{where}.{key}: is missing"]


def fits(json, declared):
    if declared is datetime:
        return type(json) is str and datetime.fromisoformat(json).tzinfo is not None
    if issubclass(declared, Enum):
        return json in {word.value for word in declared}
    return type(json) in PLAIN.get(declared, ())
