"""A page for each builder's filters and each language's rules, from the code and from examples."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefmill.builders.knowref import filters as knowref
from corefmill.builders.knowref import mined
from corefmill.builders.knowref import options as knowref_options
from corefmill.builders.wec import options as wec_options
from corefmill.builders.wec.filters import surface, syntax
from corefmill.builders.wikicrem import filters
from corefmill.builders.wikicrem import options as wikicrem_options
from corefmill.corpora.languages import language_name
from corefmill.rules.languages import LANGUAGES, load

_EXAMPLES = Path(__file__).parent / "examples"

_STRUCTURE = {**knowref.STRUCTURE, **mined.STRUCTURE}

FUNCTIONS: dict[str, Mapping[str, Any]] = {
    "wikicrem": {**filters.SURFACE, **filters.SYNTAX},
    "wec": {
        name: getattr(surface, name, None) or getattr(syntax, name)
        for name in (*wec_options.SURFACE, *wec_options.SYNTAX)
    },
    "knowref": {**_STRUCTURE, **mined.MINED_FILTERS, **knowref.FILTERS},
}
"""The function of each filter, by the name of the builder."""

NAMES: dict[str, tuple[str, ...]] = {
    "wikicrem": wikicrem_options.FILTERS,
    "wec": wec_options.FILTERS,
    "knowref": (*_STRUCTURE, *knowref_options.FILTERS),
}
"""All filters, in the order in which they are asked."""

_BESIDES = {
    "elsewhere": "elsewhere in the text: {}",
    "after": "after it: {}",
    "italic": "in italics: {}",
    "lost": "words missing behind the characters {}",
    "title": "in the article {}",
    "is_person": "which is about a person: {}",
    "event": "of the event {}",
    "section": "by a link to its section {}",
    "lang": "language: {}",
}


def examples(builder: str) -> dict[str, Any]:
    """What examples/BUILDER.toml holds, by the filter's name."""
    return tomllib.loads((_EXAMPLES / f"{builder}.toml").read_text(encoding="utf-8"))


def pages() -> dict[str, str]:
    """Markdown by the page's place in the site."""
    made = {f"reference/filters/{name}.md": _filters(name) for name in NAMES}
    return made | {f"reference/filters/rules-{lang}.md": _rules(lang) for lang in LANGUAGES}


def _filters(builder: str) -> str:
    given = examples(builder)
    lines = [
        f"# Filters of build {builder}",
        "In the order in which they are asked; the first that drops a record gives its reason in"
        f" `rejects.json`. `build {builder} --without NAME` leaves one out; `--mode paper` leaves"
        " out all that the paper does not have. Every example is tested, except for filters that"
        " need the whole corpus.",
    ]
    for name in NAMES[builder]:
        own = given[name]
        function = FUNCTIONS[builder].get(name)
        lines += [
            f"## {name}",
            (own.get("says") or _prose(function.__doc__ or ""))
            + (" It cannot be left out." if name in _STRUCTURE else ""),
            f"- **Dropped:** {_shown(own['dropped'])}\n"
            f"- **Kept:** {_shown(own.get('kept') or given['kept'])}",
        ]
    return "\n\n".join(lines) + "\n"


def _rules(lang: str) -> str:
    rules = load(lang)
    given = examples("rules")[lang]
    lines = [
        f"# Rules for {language_name(lang)}",
        f"In the order in which they are applied. `build translate --to {lang} --without NAME`"
        " leaves one out, or one of its refinements as `RULE/REFINEMENT`. A test puts each example"
        f" to them, parsed by {lang}_mini. More on rules: [Refinement rules](../rules.md).",
    ]
    for rule in rules.rules("clean"):
        before, after, stays = given[rule.name]
        refinements = rules.PAPER.get(rule.name, ())  # type: ignore[attr-defined]
        lines += [
            f"## {rule.name}",
            _prose(sys.modules[type(rule).__module__].__doc__ or ""),
            *(["Refinements: " + ", ".join(f"`{one}`" for one in refinements)] * bool(refinements)),
            f"- **Corrected:** {before} → {after}\n- **Kept:** {stays}",
        ]
    return "\n\n".join(lines) + "\n"


def _prose(docstring: str) -> str:
    """A docstring as Markdown: its paragraphs without indents, and brackets that are no links."""
    text = re.sub(r"\n[ \t]+", "\n", docstring.strip())
    return re.sub(r"(`[^`]*`)|([\[\]*_])", lambda found: found[1] or "\\" + found[2], text)


def _shown(example: str | dict[str, Any]) -> str:
    """An example with its names in bold type, and in brackets what the filter knows besides."""
    own = {"text": example} if isinstance(example, str) else example
    marks = {"[": "**", "]": "**", "{": "[MASK: **", "}": "**]", "|": ""}
    text = "".join(marks.get(letter, letter) for letter in own["text"]).replace("  ", " ")
    said = [phrase.format(own[key]) for key, phrase in _BESIDES.items() if own.get(key, "") != ""]
    return text + (f" *({'; '.join(said)})*" if said else "")
