"""The words that stand in the place of a template which is known to show words."""

import re
from collections.abc import Mapping

from corefmill.builders.wiki.markup.marks import PIPE

# Longer ones are boxes, whatever their name. The limit also bounds the work on nested ones.
MAX_INLINE = 2000

# In place of words: the arguments are a number or a range of them, and a unit.
MEASURE = "{measure}"
_RANGE_WORDS = frozenset(["to", "and", "or", "by", "x", "×", "-", "–", "to about", "+/-", "±"])

_ARGUMENT_TOKEN = re.compile(r"\[\[|\]\]|\|")
_NAMED = re.compile(r"\s*([^\s=\[\]<>{}]+)\s*=")
_FIELD = re.compile(r"\{(\d+)(?:\|(\d+))?\}")


def template_key(name: str) -> str:
    """A template's name as the tables look it up: the case of its first letter is free."""
    return name[:1].lower() + name[1:]


def find_words(name: str, templates: Mapping[str, str]) -> str | None:
    """The entry for the template `name`, by its whole name, its family or its function."""
    words = templates.get(template_key(name))
    if words is None:
        if ":" in name:
            words = templates.get(name.partition(":")[0].lower() + ":")
        elif "-" in name:
            words = templates.get(template_key(name.partition("-")[0]) + "-*")
    return words


def template_words(words: str, body: str) -> str:
    """`words` with its {n}, or {n|m}, replaced by the template's arguments: n, or m if n is empty.

    `body` is the template without its braces, its own inner templates already replaced. A field
    whose argument is missing is empty.
    """
    if words == "|":
        return PIPE
    if "{" not in words:
        return words
    name = body.partition("|")[0]
    if ":" in name:  # the first argument of a parser function follows the colon
        body = body.replace(":", "|", 1)
    arguments = _arguments(body)
    if words == MEASURE:
        return _measure(arguments)
    return _FIELD.sub(
        lambda match: arguments.get(match[1]) or arguments.get(match[2], ""), words
    ).strip()


def _measure(arguments: Mapping[str, str]) -> str:
    number = 1
    shown = [arguments.get("1", "")]
    while arguments.get(str(number + 1), "") in _RANGE_WORDS:
        shown += [arguments[str(number + 1)], arguments.get(str(number + 2), "")]
        number += 2
    shown.append(arguments.get(str(number + 1), ""))
    return " ".join(shown).strip()


def _arguments(body: str) -> dict[str, str]:
    """The numbered arguments, and the named ones by their names, stripped."""
    parts = _split(body)[1:] if "[[" in body else body.split("|")[1:]
    arguments: dict[str, str] = {}
    number = 0
    for part in parts:
        named = _NAMED.match(part)
        if named:
            arguments[named[1]] = part[named.end() :].strip()
        else:
            number += 1
            arguments[str(number)] = part.strip()
    return arguments


def _split(body: str) -> list[str]:
    """`body` cut at the pipes that stand outside links."""
    parts: list[str] = []
    depth = start = 0
    for match in _ARGUMENT_TOKEN.finditer(body):
        token = match[0]
        if token == "[[":
            depth += 1
        elif token == "]]":
            depth = max(depth - 1, 0)
        elif not depth:
            parts.append(body[start : match.start()])
            start = match.end()
    parts.append(body[start:])
    return parts
