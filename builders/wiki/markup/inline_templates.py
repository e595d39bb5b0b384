"""The words that stand in the place of a template which is known to show words."""

import re

from builders.wiki.markup.marks import PIPE

# Longer ones are boxes, whatever their name. The limit also bounds the work on nested ones.
MAX_INLINE = 2000

_ARGUMENT_TOKEN = re.compile(r"\[\[|\]\]|\|")
_NAMED = re.compile(r"\s*([^\s=\[\]<>{}]+)\s*=")
_FIELD = re.compile(r"\{(\d+)\}")


def template_words(words: str, body: str) -> str:
    """`words` with its {n} replaced by the template's arguments.

    `body` is the template without its braces, its own inner templates already replaced. A field
    whose argument is missing is empty.
    """
    if words == "|":
        return PIPE
    if "{" not in words:
        return words
    arguments = _arguments(body)
    return _FIELD.sub(lambda match: arguments.get(match[1], ""), words).strip()


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
