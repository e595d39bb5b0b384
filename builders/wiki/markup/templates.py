"""What templates show: the tables of known ones, and their patterns filled with arguments.

A pattern is text with fields (`templates.toml` explains them). Patterns are compiled once; to fill
one never repeats an argument, so that nested templates grow no text without bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import floor, log10
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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

Arguments: TypeAlias = dict[str, str]
Shown: TypeAlias = tuple[str, set[str]]
"""Text, and the names of the arguments that it has used."""
Lookups: TypeAlias = Mapping[str, Mapping[str, str]]

_NUMBER = re.compile(r"([-−+]?)([1-9][0-9]*|0)(?:\.([0-9]+))?")


def _group_digits(text: str, lookups: Lookups) -> str | None:
    """Write a number with the separators of a language; None where a language has none here."""
    number = _NUMBER.fullmatch(text)
    if number is None or (len(number[2]) < 4 and number[3] is None):
        return text
    signs = lookups["separators"]
    if not signs:
        return None
    whole = number[2]
    if len(whole) >= int(signs.get("fewest", 4)):
        whole = f"{int(whole):,}".replace(",", signs[","])
    return number[1] + whole + (signs["."] + number[3] if number[3] else "")


_CHANGES: dict[str, Callable[[str, Lookups], str | None]] = {
    "lower": lambda text, _: text.lower(),
    "upper": lambda text, _: text.upper(),
    "lcfirst": lambda text, _: text[:1].lower() + text[1:],
    "ucfirst": lambda text, _: text[:1].upper() + text[1:],
    "number": _group_digits,
}


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
        if self.table:
            if self.table in _CHANGES:
                known = _CHANGES[self.table](value, lookups)
            else:
                table = lookups[self.table]
                known = value if value in table.values() else table.get(value)
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
                return text.strip() or text  # blanks alone are what it shows
        return None


class _Unit(NamedTuple):
    """One row of the table of units; `zero` is where its scale begins."""

    symbol: str  # "" where the page always writes the name
    name: str  # "" where it always writes the symbol
    plural: str
    kind: str
    scale: float
    default: str  # the units to convert to
    zero: float

    def write(self, numbers: str, by_symbol: bool, us: bool, is_adjective: bool) -> str:
        """Write numbers with this unit."""
        if self.symbol and (by_symbol or not self.name):
            return f"{numbers} {self.symbol}"
        name = self.name if is_adjective or numbers.split()[-1] == "1" else self.plural
        name = name.replace("metre", "meter") if us else name
        return f"{numbers}-{name.replace(' ', '-')}" if is_adjective else f"{numbers} {name}"


class Quantity:
    """A measure and its conversion, as Module:Convert of the English Wikipedia writes them."""

    def __init__(self, lookups: Lookups) -> None:
        self._ranges = lookups["ranges"]
        self._units: dict[str, _Unit] = {}
        for codes, row in lookups["units"].items():
            symbol, name, plural, kind, scale, default, zero = row.split("|")
            unit = _Unit(symbol, name, plural, kind, float(scale), default, float(zero))
            self._units |= dict.fromkeys(codes.split("|"), unit)

    def fill(self, body: str) -> str | None:
        """Show numbers, unit and conversion; None for a unit or an option that is not known."""
        arguments = read_arguments(body)
        words = [value for name, value in arguments.items() if name.isdecimal() and value]
        options = {name: value for name, value in arguments.items() if not name.isdecimal()}
        for name, value in options.items():
            if value and value not in _OPTIONS.get(name, (value,) if name in _UNSEEN else ()):
                return None
        # "a 5-mile-long (8.0 km) road": the last word goes with the unit, if it has a hyphen.
        middle = words.pop() if options.get("adj") == "mid" and words else ""
        numbers, joiner = words[:1], ""
        while len(words) > 3 and words[1] in self._ranges:
            joiner = self._ranges[words[1]]
            words = words[2:]
            numbers.append(words[0])
        unit = self._units.get(words[1]) if len(words) > 1 else None
        if unit is None or not all(map(_DECIMAL.fullmatch, numbers)):
            return None
        rest = words[2:]
        abbreviated = options.get("abbr") or ("on" if body[:3].lower() == "cvt" else "out")
        us, is_adjective = options.get("sp") == "us", options.get("adj") in ("on", "mid")
        is_flipped = "flip" in (options.get("order"), options.get("disp"))
        sides = [(unit, joiner.join(map(_write, numbers)))]
        if unit.symbol == "ft" and rest[1:2] == ["in"]:
            is_signed = set("-−") & set(numbers[0] + rest[0])
            if joiner or is_adjective or is_flipped or is_signed or not _DECIMAL.fullmatch(rest[0]):
                return None
            feet = unit.write(sides[0][1], abbreviated in ("on", "in"), us, is_adjective)
            sides = [(self._units["in"], f"{feet} {_write(rest[0])}")]
            numbers = [str(_value(numbers[0]) + _value(rest[0]) / 12)]
            rest = rest[2:]
            if rest in ([], ["m"], ["cm"]):  # by default to the centimetre
                rest = [*(rest or ["m"]), "0" if rest == ["cm"] else "2"]
            elif not _PRECISION.fullmatch(rest[-1]):
                return None
        precision = int(rest.pop()) if rest and _PRECISION.fullmatch(rest[-1]) else None
        default = "" if unit.symbol == "m" and 0 < _value(numbers[0]) < 3 else unit.default
        outputs = [self._units.get(code) for code in (rest.pop() if rest else default).split()]
        if rest or not outputs or (joiner and is_adjective) or not _MIDDLE.fullmatch(middle):
            return None
        for output in outputs:
            if output is None or output.kind != unit.kind:
                return None
            converted = _convert(numbers, unit, output, precision, options.get("sigfig"))
            if converted is None:
                return None
            sides.append((output, joiner.join(converted)))
        if is_flipped:
            sides.reverse()
        if abbreviated in ("off", "in") and not all(unit.name for unit, _ in sides):
            return None
        first, *others = (
            unit.write(shown, abbreviated in ("on", "in" if at == 0 else "out"), us,
                       is_adjective and at == 0)
            for at, (unit, shown) in enumerate(sides)
        )  # fmt: skip
        if options.get("disp") == "or":
            return f"{first}{middle} or {' or '.join(others)}"
        return f"{first}{middle} ({'; '.join(others)})"


_OPTIONS = {
    "abbr": ("on", "off", "in", "out"),
    "adj": ("on", "off", "mid"),
    "disp": ("or", "flip"),
    "order": ("flip",),
    "sp": ("us",),
    "sigfig": tuple("123456789"),
}
_UNSEEN = ("*", "lk")  # the rest of the template's name; links
_DECIMAL = re.compile(r"[-−]?[0-9][0-9,]{0,14}(?:\.[0-9]{1,9})?")
_MIDDLE = re.compile(r"(?:-[a-z]+)*")
_PRECISION = re.compile(r"-?[0-9]")


def _value(number: str) -> float:
    return float(number.replace(",", "").replace("−", "-"))


def _write(number: str) -> str:
    """Write a number with its decimals, commas and the sign for minus."""
    decimals = len(number.partition(".")[2])
    return f"{_value(number):,.{decimals}f}".replace("-", "−")


def _convert(
    numbers: Sequence[str], unit: _Unit, output: _Unit, precision: int | None, sigfig: str | None
) -> list[str] | None:
    """Convert and round as the module does; None where the precision of a range is not sure."""
    shown, precisions = [], set[int]()
    for number in numbers:
        value = _value(number)
        base = (value - unit.zero) * unit.scale
        converted = base / output.scale + output.zero
        size = 0 if not converted else floor(log10(abs(converted)) + 1e-14)
        places = precision
        if sigfig:
            places = int(sigfig) - 1 - size
        elif places is None:
            # As many digits as the number has, and at least two (three in kelvins).
            whole, _, decimals = number.replace(",", "").partition(".")
            digits = len(decimals) or len(whole.rstrip("0")) - len(whole)
            if unit.zero:
                if base < 1:  # how the module rounds near absolute zero is not sure
                    return None
                places = max(digits, 2 - floor(log10(base) + 1e-14))
            elif not value or not converted:
                places = 0
            elif output.symbol == "ft" and value == floor(value):
                places = max(floor(digits + log10(2 / unit.scale)), 1 - size)
            else:
                places = max(floor(digits + log10(2 * abs(value / converted))), 1 - size)
        precisions.add(places)
        rounded = floor(abs(converted) * 10.0**places + 0.5) / 10.0**places
        shown.append(f"{'−' if converted < 0 < rounded else ''}{rounded:,.{max(places, 0)}f}")
    return shown if len(precisions) == 1 or precision is not None else None


Words: TypeAlias = str | Pattern | Quantity
"""What stands for a template: plain words, "" for nothing, or what its arguments are filled in."""


def template_key(name: str) -> str:
    """Return a template's name as a key of the tables: its first letter in lower case."""
    return name[:1].lower() + name[1:]


def find_words(name: str, templates: Mapping[str, Words]) -> Words | None:
    """Look up the words for a template, by its whole name, its function or its family."""
    words = templates.get(template_key(name))
    if words is None and name[-1:] == "?":
        name = name.rstrip("?")
        words = templates.get(template_key(name))
    if words is None:
        if ":" in name:
            return templates.get(name.partition(":")[0].lower() + ":")
        if "-" in name:
            words = templates.get(template_key(name.partition("-")[0]) + "-*")
        if words is None and " " in name:
            words = templates.get(template_key(name.partition(" ")[0]) + " *")
        if words is None and (" " in name or "-" in name):
            words = templates.get("* " + name.replace("-", " ").rpartition(" ")[2])
    return words


@lru_cache(maxsize=4096)  # a page repeats its flags and measures
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
        named = "=" in part and _NAMED.match(part)
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
            if match is None or match["table"] not in (None, *_CHANGES, *lookups):
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
        known |= {name: Quantity(lookups) for name in table.get("measures", ())}
        for names, shown in table.get("words", {}).items():
            known |= dict.fromkeys(map(template_key, names.split("|")), _words(shown, lookups))
    return known | {name: _words(shown, lookups) for of, name, shown in own if of in ("", lang)}


def _read_lookups(lang: str) -> Lookups:
    """Return a language's tables for fields with @ and for measures."""
    tables = disk.read_package_table(__file__, "templates")
    rows = (row for codes, row in tables["separators"].items() if lang in codes.split("|"))
    return {**tables.get(lang, {}).get("lookups", {}), "separators": next(rows, {})}


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
