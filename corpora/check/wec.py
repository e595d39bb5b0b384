"""Checks WEC's JSON: whether tokens_number of each mention points at the words of tokens_str."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corefmill.corpora.check.finding import Finding, shown
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.json_records import read_array
from corefmill.corpora.formats.wec_json import standing


def wec(path: Path) -> Iterator[Finding]:
    """The findings E302 of a file, and what keeps a mention from being read (E202)."""
    try:
        for line, mention in read_array(path):
            context, numbers = mention.get("mention_context"), mention.get("tokens_number")
            said = mention.get("tokens_str")
            if not (
                isinstance(context, list)
                and isinstance(numbers, list)
                and numbers
                and all(type(number) is int for number in numbers)
                and all(type(word) is str for word in (said, *context))
            ):
                what = "mention_context, tokens_number or tokens_str is missing or of another type"
                yield Finding("E202", path, line, what)
            elif min(numbers) < 0 or max(numbers) >= len(context):
                what = f"tokens_number reaches beyond the context of {len(context)}"
                yield Finding("E202", path, line, what)
            elif (there := " ".join(context[number] for number in numbers)) != said:
                yield Finding(
                    "E302",
                    path,
                    line,
                    f"mention {mention.get('mention_id')}: {shown(there, 60)} stands there,"
                    f" tokens_str is {shown(str(said), 60)}",
                )
    except DataError:
        return  # the reader of the format says where and why


def fixed(mention: dict[str, Any]) -> dict[str, Any] | None:
    """The mention with its words and numbers agreeing, or None where nothing says how.

    Where they differ in blanks only, tokens_str takes the context's; else tokens_number takes the
    one place where the words of tokens_str stand, if there is just one.
    """
    context, numbers = mention["mention_context"], mention["tokens_number"]
    squeezed = "".join(mention["tokens_str"].split())
    there = [context[number] for number in numbers if 0 <= number < len(context)]
    if "".join(there) == squeezed and len(there) == len(numbers):
        return {**mention, "tokens_str": " ".join(there)}
    places = standing(context, squeezed)
    if len(places) != 1:
        return None
    words = " ".join(context[number] for number in places[0])
    return {**mention, "tokens_number": places[0], "tokens_str": words}
