"""The part of the cleaner that depends on the language of the wiki, compiled once."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from corefmill.builders.wiki.markup.inline_templates import MEASURE, template_key
from corefmill.builders.wiki.markup.tokens import inline_tokens
from corefmill.corpora import beside

PrefixKind = Literal["file", "category", "language", "other"]


def normalise_prefix(prefix: str) -> str:
    """A namespace or interwiki prefix in the one form that it is looked up by."""
    return " ".join(prefix.replace("_", " ").split()).lower()


@cache
def known_templates(lang: str) -> dict[str, str]:
    """The templates of `templates.toml` for `lang`: name -> the words that stand in its place."""
    tables = beside.table(__file__, "templates")
    known: dict[str, str] = {}
    for section in ("any", lang):
        table = tables.get(section, {})
        words = dict.fromkeys(table.get("silent", ()), "")
        words |= dict.fromkeys(table.get("measures", ()), MEASURE)
        for name, shown in table.get("words", {}).items():
            _check_words(f"templates.toml [{section}.words]", name, shown)
            words[name] = shown
        known |= {template_key(name): shown for name, shown in words.items()}
    return known


def _check_words(where: str, name: str, words: str) -> None:
    fields = re.findall(r"\{(.*?)\}", words)
    numbers = [number for field in fields for number in field.split("|")]
    if not all(number.isdigit() for number in numbers):
        legal = "{1}, {2} ..., {2|1}"
        raise ValueError(f"{where}: {name!r} = {words!r}: legal fields are {legal}")
    if len(set(numbers)) < len(numbers):  # nested, such a template would grow without bound
        raise ValueError(f"{where}: {name!r} = {words!r}: a field may stand only once")


@dataclass(frozen=True)
class MarkupSettings:
    """Names and rules of one wiki.

    Prefixes are namespace names without the colon, in any case. Links to files, categories and
    other languages leave no text; links with one of the `other_prefixes` (further namespaces,
    sister projects) leave their words but are no `Link`. What every wiki understands
    (prefixes.toml) need not be repeated.
    """

    lang: str
    file_prefixes: frozenset[str] = frozenset()
    category_prefixes: frozenset[str] = frozenset()
    other_prefixes: frozenset[str] = frozenset()
    link_trail: str = "[a-z]+"  # a regex: what a link draws in after its ]]; "" for nothing

    prefixes: dict[str, PrefixKind] = field(init=False, repr=False, compare=False)
    templates: dict[str, str] = field(init=False, repr=False, compare=False)
    tokens: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        prefixes: dict[str, PrefixKind] = {}

        def add(kind: PrefixKind, names: Iterable[str]) -> None:
            for name in names:
                prefixes[normalise_prefix(name)] = kind

        # The later win: a wiki's own names for files and categories over anything else.
        everywhere = beside.table(__file__, "prefixes")
        add("language", everywhere["languages"].split())
        add("other", everywhere["other"])
        add("other", self.other_prefixes)
        add("file", everywhere["file"])
        add("category", everywhere["category"])
        add("category", self.category_prefixes)
        add("file", self.file_prefixes)
        prefixes.pop("", None)  # the main namespace has no name
        object.__setattr__(self, "prefixes", prefixes)
        object.__setattr__(self, "templates", known_templates(self.lang))
        object.__setattr__(self, "tokens", inline_tokens(self.link_trail))
