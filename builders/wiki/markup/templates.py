"""What templates show: the tables of known ones, and their patterns filled with arguments.

A pattern is text with fields (`templates.toml` explains them). Patterns are compiled once; to fill
one never repeats an argument, so that nested templates grow no text without bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from corefmill.builders.wiki.markup.records import CUTS, PIPE
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

_FIELD = re.compile(
    r"(?P<skip>-)(?P<skipped>\d*)"  # {-2}, {-}: this argument, or all others, need not be shown
    r"|(?P<condition>[^=@+|{}\[\]]+)=(?P<values>[^{}\[\]]*)"  # {label=none}, {since=}
    r"|(?P<first>\d+)\+(?P<joiner>[^{}\[\]]*)"  # {1+, }: all from the first on
    r"|(?P<names>[^=@+{}\[\]]+)(?:@(?P<table>\w+)(?P<lenient>\?)?)?"  # {2|1}, {2@months}, {1@days?}
)
_PIECE = re.compile(r"\{([^{}]*)\}|([\[\]])|([^{}\[\]]+)|(.)", re.DOTALL)
_ARGUMENT_TOKEN = re.compile(r"\[\[|\]\]|\|")
_NAMED = re.compile(r"\s*([^\s=\[\]<>{}]+)\s*=")

_CASES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "lcfirst": lambda text: text[:1].lower() + text[1:],
    "ucfirst": lambda text: text[:1].upper() + text[1:],
}

Arguments: TypeAlias = dict[str, str]
Shown: TypeAlias = tuple[str, set[str]]
"""Text, and the names of the arguments that it has used."""
Lookups: TypeAlias = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class _Field:
    """The first of these arguments that is not empty, perhaps looked up in a table."""

    names: tuple[str, ...]
    table: str = ""
    lenient: bool = False  # what the table lacks is shown as it is
    joiner: str | None = None  # the argument and all unnamed ones after it, with this between

    def show(self, arguments: Arguments, lookups: Lookups) -> Shown | None:
        """Return the argument; None where there is none, or the table lacks it."""
        if self.joiner is not None:
            numbers = [name for name in arguments if name.isdecimal()]
            names = [name for name in numbers if int(name) >= int(self.names[0])]
            values = [arguments[name] for name in names if arguments[name]]
            return (self.joiner.join(values), set(names)) if values else None
        value = next(filter(None, (arguments.get(name) for name in self.names)), None)
        if value is None or not value.strip(CUTS):  # nothing, or a note alone
            return None
        if self.table in _CASES:
            value = _CASES[self.table](value)
        elif self.table:
            table = lookups[self.table]
            known = table.get(value) if value not in table.values() else value
            if known is None and not self.lenient:
                return None
            value = value if known is None else known
        return value, set(self.names)


_Parts: TypeAlias = tuple["str | _Field | _Parts", ...]  # a tuple within is an optional group


@dataclass(frozen=True, slots=True)
class _Alternative:
    """One pattern of a template, in pieces."""

    parts: _Parts
    conditions: tuple[tuple[str, frozenset[str]], ...]
    skipped: frozenset[str]
    skips_all: bool

    def fill(self, arguments: Arguments, lookups: Lookups) -> str | None:
        """Return what is shown; None where the pattern does not fit these arguments."""
        for name, values in self.conditions:
            value = arguments.get(name, "")
            if value not in values and value.lower() not in values:
                return None
        shown = _fill(self.parts, arguments, lookups)
        if shown is None:
            return None
        text, used = shown
        if self.skips_all:
            return text
        # What the page shows of an argument that no field names is not known.
        shown_or_skipped = used | self.skipped
        is_whole = all(
            name in shown_or_skipped or not name.isdecimal() or not value.strip(CUTS)
            for name, value in arguments.items()
        )
        return text if is_whole else None


def _fill(parts: _Parts, arguments: Arguments, lookups: Lookups) -> Shown | None:
    """Join the parts; None where a field has no argument. A group without its own is left out."""
    texts, used = [], set[str]()
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if isinstance(part, _Field):
            shown = part.show(arguments, lookups)
            if shown is None:
                return None
        else:
            shown = _fill(part, arguments, lookups) or ("", set())
        texts.append(shown[0])
        used |= shown[1]
    return "".join(texts), used


class Pattern:
    """What a template with arguments shows: the first of some patterns that fits them all."""

    def __init__(self, sources: Sequence[str], lookups: Lookups) -> None:
        """Compile patterns; raises `ValueError` for an illegal or repeated field."""
        self._lookups = lookups
        self._alternatives = [_compile(source, lookups) for source in sources]

    def fill(self, body: str) -> str | None:
        """Fill in the arguments of `body`, a template without its braces; None if none fits."""
        arguments = read_arguments(body)
        for alternative in self._alternatives:
            text = alternative.fill(arguments, self._lookups)
            if text is not None:
                return text.strip()
        return None


class Quantity:
    """A number, or a range of them, and its unit: "5 to 10 km", "6 ft 2 in"; no conversion."""

    def __init__(self, lookups: Lookups) -> None:
        self._units = lookups.get("units", {})
        self._ranges = lookups["ranges"]

    def fill(self, body: str) -> str | None:
        """Read numbers and units up to the first unit to convert to; None for other forms."""
        arguments = read_arguments(body)
        # These show the conversion alone, or words in the middle.
        if arguments.get("disp") in _OTHER_MEASURES or arguments.get("adj") in ("mid", "pre"):
            return None
        if arguments.get("spell"):  # the number is spelt out
            return None
        words: list[str] = []
        while (word := arguments.get(str(len(words) + 1))) is not None:
            words.append(word)
        if len(words) < 2 or not _is_number(words[0]):
            return None
        shown, at = words[0], 1
        while (between := self._ranges.get(words[at])) is not None and at + 2 < len(words):
            shown += between + words[at + 1]
            at += 2
        if _is_number(words[at]) or not words[at] or words[at] in self._ranges:
            return None
        shown += f" {self._units.get(words[at], words[at])}"
        # A second number with a unit is a part of the measure, one alone is a precision.
        while len(words) > at + 2 and _is_number(words[at + 1]) and not _is_number(words[at + 2]):
            if not words[at + 2]:
                break
            shown += f" {words[at + 1]} {self._units.get(words[at + 2], words[at + 2])}"
            at += 2
        # A range after the unit ("2 ft 6 in by 4 ft") would be half a measure. Codes such as e6acre
        # stand for words.
        if any(word in self._ranges for word in words[at + 1 :]) or _POWER.search(shown):
            return None
        return shown


_OTHER_MEASURES = frozenset(
    ["out", "output only", "output number only", "number", "num", "unit", "unit2", "u2", "preunit"]
)


_POWER = re.compile(r" e\d")


def _is_number(word: str) -> bool:
    return word.lstrip("-−+±.,")[:1].isdigit()


Words: TypeAlias = str | Pattern | Quantity
"""What stands for a template: plain words, "" for nothing, or what its arguments are filled in."""


def template_key(name: str) -> str:
    """Return a template's name as a key of the tables: its first letter in lower case."""
    return name[:1].lower() + name[1:]


def find_words(name: str, templates: Mapping[str, Words]) -> Words | None:
    """Look up the words for a template, by its whole name, its function or its family."""
    words = templates.get(template_key(name))
    if words is None:
        if ":" in name:
            return templates.get(name.partition(":")[0].lower() + ":")
        if "-" in name:
            words = templates.get(template_key(name.partition("-")[0]) + "-*")
        if words is None and " " in name:
            words = templates.get(template_key(name.partition(" ")[0]) + " *")
            if words is None:
                words = templates.get("* " + name.rpartition(" ")[2])
    return words


def fill_template(words: Words, body: str) -> str | None:
    """Return what a template shows, "" for nothing, None where it is not known.

    `body` is the template without its braces, its own inner templates already replaced.
    """
    if words == "|":
        return PIPE
    if not isinstance(words, str):
        return words.fill(body)
    if "|" in body and any(
        value.strip(CUTS) for name, value in read_arguments(body).items() if name.isdecimal()
    ):
        return None
    return words


def read_arguments(body: str) -> Arguments:
    """Read a template's arguments by number or name, stripped; * is what follows a hyphen."""
    name = body.partition("|")[0]
    if ":" in name:  # the first argument of a parser function follows the colon
        body = body.replace(":", "|", 1)
    parts = _split(body)[1:] if "[[" in body else body.split("|")[1:]
    arguments = {"*": name.partition("-")[2].strip()}
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
    """Cut `body` at the pipes outside of links."""
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


def _compile(source: str, lookups: Lookups) -> _Alternative:
    """Compile one pattern; raises `ValueError` for what is no pattern."""
    groups: list[list[str | _Field | _Parts]] = [[]]
    conditions: list[tuple[str, frozenset[str]]] = []
    skipped, skips_all, seen = set[str](), False, set[str]()
    for piece in _PIECE.finditer(source):
        field, bracket, text, stray = piece.groups()
        if stray or (bracket == "]" and len(groups) == 1):
            raise ValueError(f"{source!r} has a bracket without its pair")
        if bracket == "[":
            groups.append([])
        elif bracket:
            group = groups.pop()
            plain = all(isinstance(part, str) for part in group)  # "[sic]" is what the page shows
            groups[-1].append(f"[{''.join(map(str, group))}]" if plain else tuple(group))
        elif text:
            groups[-1].append(text)
        else:
            match = _FIELD.fullmatch(field)
            if match is None or match["table"] not in (None, *_CASES, *lookups):
                raise ValueError(
                    f"{source!r} has {{{field}}}: fields are {{1}}, {{name}}, {{2|1}}, {{1+, }},"
                    " {-2}, {-}, {name=value} and {2@table} with a table of templates.toml"
                )
            if match["skip"]:
                skipped.add(match["skipped"])
                skips_all = skips_all or not match["skipped"]
            elif match["condition"]:
                conditions.append((match["condition"], frozenset(match["values"].split("|"))))
            else:
                names = (match["first"] or match["names"]).split("|")
                groups[-1].append(
                    _Field(tuple(names), match["table"] or "", bool(match["lenient"]),
                           match["joiner"])
                )  # fmt: skip
                if not seen.isdisjoint(names):
                    raise ValueError(f"{source!r} has a field twice")
                seen.update(names)
                if match["joiner"] is not None and len(seen) > 1:
                    raise ValueError(f"{source!r} has {{{field}}} beside other fields")
    if len(groups) > 1:
        raise ValueError(f"{source!r} has a bracket without its pair")
    return _Alternative(tuple(groups[0]), tuple(conditions), frozenset(skipped), skips_all)


@cache
def known_templates(lang: str, own: OwnTemplates = ()) -> dict[str, Words]:
    """Read from `templates.toml` what a language's templates show, by name; `own` come first."""
    known: dict[str, Words] = {}
    lookups = _read_lookups(lang)
    tables = disk.read_package_table(__file__, "templates")
    for section in ("any", lang):
        table = tables.get(section, {})
        known |= dict.fromkeys(map(template_key, table.get("silent", ())), "")
        # With an unnamed argument these show it, as a passage in want of a source: a loss.
        alone = map(template_key, table.get("silent_alone", ()))
        known |= dict.fromkeys(alone, Pattern([""], lookups))
        measures = map(template_key, table.get("measures", ()))
        known |= dict.fromkeys(measures, Quantity(lookups))
        known |= {template_key(name): _words(shown, lookups) for name, shown in
                  table.get("words", {}).items()}  # fmt: skip
    return known | {name: _words(shown, lookups) for of, name, shown in own if of in ("", lang)}


@cache
def _read_lookups(lang: str) -> Lookups:
    """Return the tables for fields with @: those for all languages and the language's own."""
    tables = disk.read_package_table(__file__, "templates")
    everywhere, own = tables["any"]["lookups"], tables.get(lang, {}).get("lookups", {})
    return {name: {**everywhere.get(name, {}), **own.get(name, {})} for name in everywhere | own}


def _words(shown: str | Sequence[str], lookups: Lookups) -> Words:
    """Return plain words as they are, patterns compiled; raises `ValueError`."""
    if isinstance(shown, str) and not set(shown) & set("{}[]"):
        return shown
    return Pattern([shown] if isinstance(shown, str) else shown, lookups)


# A user's own templates: language or "", name as a key, patterns. Hashable, and as a fingerprint
# has it.
OwnTemplates: TypeAlias = tuple[tuple[str, str, str | tuple[str, ...]], ...]


def read_templates(path: Path | None, lang: str = "") -> OwnTemplates:
    """Read a user's file of templates, none without a file.

    Raises `DataError` with the line of a fault.

    It has lines `name = "pattern"`, or a list of patterns; under `[it]` those of a language.
    """
    if path is None:
        return ()
    raw = disk.read_toml(path)
    own: dict[tuple[str, str], str | tuple[str, ...]] = {}
    for section, name, shown in _list_own(raw):
        key = section, template_key(" ".join(name.split()))
        try:
            if key in own:
                raise ValueError("it stands here twice")
            _check_own(section, name, shown)
            own[key] = shown if isinstance(shown, str) else tuple(shown)
            _words(own[key], _read_lookups(section or lang))
        except ValueError as error:
            lines = enumerate(disk.read_text(path, disk.MOST_TOML).split("\n"), 1)
            line = next((number for number, text in lines if name in text), 1)
            raise DataError(
                f"the template {disk.show_name(name[:60])}: {error}",
                path=path,
                line=line,
                remedy='write lines such as "lle" = "lle" or "coin" = "{1} crowns"',
            ) from None
    return tuple(sorted((section, name, shown) for (section, name), shown in own.items()))


def _list_own(raw: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield language, name and pattern of each entry of a user's file."""
    for name, shown in raw.items():
        if isinstance(shown, dict) and not section:
            yield from _list_own(shown, name)
        else:
            yield section, name, shown


def _check_own(section: str, name: str, shown: Any) -> None:
    """Raise `ValueError` for a name or a pattern that can be none."""
    languages = disk.read_package_table(__file__, "prefixes")["languages"].split()
    if section and section not in languages:
        raise ValueError(f"[{section[:60]}] is no language of Wikipedia")
    if not name.strip() or not name.isprintable() or set(name) & set("{}[]|<>"):
        raise ValueError("this is no name of a template")
    for pattern in shown if isinstance(shown, list) and shown else [shown]:
        if not isinstance(pattern, str):
            raise ValueError(f"its pattern is {str(pattern)[:60]}, no string or list of them")
        if not pattern.isprintable() or len(pattern) > MOST_PATTERN:
            raise ValueError(f"a pattern is one line of at most {MOST_PATTERN} letters")


MOST_PATTERN = 500
