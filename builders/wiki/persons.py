"""Whether an article is about a person, as its categories and templates say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from corefmill.corpora import beside


@dataclass(frozen=True, slots=True)
class _Patterns:
    categories: re.Pattern[str]
    templates: re.Pattern[str]
    things: re.Pattern[str]


def is_person(categories: Iterable[str], templates: Iterable[str], lang: str) -> bool | None:
    """True for a person, False for anything else, None where nothing says so.

    `categories` come without their prefix, `templates` are names. For a language without an entry
    in persons.toml it is always None.
    """
    patterns = _patterns(lang)
    if patterns is None:
        return None
    names = [name.replace("_", " ").strip() for name in templates]
    if any(map(patterns.categories.search, categories)) or any(
        map(patterns.templates.match, names)
    ):
        return True
    return False if any(map(patterns.things.match, names)) else None


@cache
def _patterns(lang: str) -> _Patterns | None:
    entry = beside.table(__file__, "persons").get(lang)
    if entry is None:
        return None
    return _Patterns(
        categories=_any(entry["categories"], re.NOFLAG),
        templates=_any(entry.get("templates", ()), re.IGNORECASE),
        things=_any(entry.get("things", ()), re.IGNORECASE),
    )


def _any(expressions: Sequence[str], flags: re.RegexFlag) -> re.Pattern[str]:
    # An empty expression would be found everywhere, where nothing is to be found.
    return re.compile("|".join(f"(?:{one})" for one in expressions) or "(?!)", flags)
