"""Before the first pass: of words given in several variants of a language, keep those of one.

MediaWiki's language converter: `-{zh-hans:信息;zh-hant:資訊}-`, with flags before a bar.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from corefmill.builders.wiki.markup.braces import OPAQUE, Closers
from corefmill.builders.wiki.markup.records import CUT, LOST
from corefmill.corpora.files import disk

# `-{{x}}` is a hyphen and a template, `-{{{x}}}-` a template in the converter's braces.
_TOKEN = re.compile(
    rf"-\{{(?!\{{(?!\{{))|\}}-|\{{\{{|\}}\}}|<(?:!--|(?i:({'|'.join(OPAQUE)}))(?=[\s/>]))"
)
_DEEPEST = 10
"""Levels of nesting, as in MediaWiki; every level costs a pass over what it holds."""

# What a flag makes of the rules behind it. `A`, those of variants, and any unknown one show them.
_RAW = "R"
_HIDDEN = {"-", "+", "H"}  # they only change how the rest of the page is converted
_TITLE = {"T"}  # hidden, too, where it is the only one
_DESCRIBED = {"D", "N"}  # words that MediaWiki makes: a list of the rules, a language's name


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of a language, by how much they are liked, and the patterns of its rules."""

    codes: Sequence[str]
    border: re.Pattern[str]
    rule: re.Pattern[str]


@cache
def load_variants(lang: str) -> Variants | None:
    """Load the variants of a language from `variants.toml`, None if it has none."""
    codes = disk.read_package_table(__file__, "variants").get(lang.partition("-")[0], "").split()
    if not codes:
        return None
    # A rule has a variant and its words, or the words to be replaced before these: a=>zh-hans:b.
    of_variant = rf"\s*(?:[^;]*?=>\s*)?({'|'.join(codes)})\s*:"
    return Variants(
        codes,
        re.compile(rf";(?={of_variant}|\s*\Z)", re.IGNORECASE),
        re.compile(rf"{of_variant}(.*)", re.IGNORECASE | re.DOTALL),
    )


def choose_variants(text: str, variants: Variants) -> str:
    """Replace each `-{...}-` of a page by the words that it shows; an unclosed one loses words."""
    closers = Closers(text)
    opens: list[str] = []  # "-{" and "{{" that wait for their end
    levels: list[list[str]] = [[]]  # the pieces of the page, and of each open "-{"
    position = 0
    match = _TOKEN.search(text)
    while match:
        start, end = match.span()
        token = match[0]
        if token == "-{" and len(levels) <= _DEEPEST:
            levels[-1].append(text[position:start])
            levels.append([])
            opens.append(token)
            position = end
        elif token == "}-" and opens[-1:] == ["-{"]:
            inside = "".join([*levels.pop(), text[position:start]])
            levels[-1].append(_show(inside, variants))
            opens.pop()
            position = end
        elif token == "{{":
            opens.append(token)
        elif token == "}}" and opens[-1:] == ["{{"]:
            opens.pop()
        elif token == "<!--":
            end = closers.comment(end)
        elif match[1]:
            end = closers.tag(match[1].lower(), end)[2] or end
        match = _TOKEN.search(text, end)
    levels[-1].append(text[position:])
    return LOST.join("".join(pieces) for pieces in levels)


def _show(inside: str, variants: Variants) -> str:
    """Return what MediaWiki shows of the inside of `-{...}-`, for the variant most liked."""
    before, has_flags, rules = inside.partition("|")
    if not has_flags or any(sign in before for sign in "[{<"):
        before, rules = "", inside  # the bar is a link's or a template's
    flags = {flag.strip() for flag in before.split(";")}
    if _RAW in flags:
        return rules
    if flags & _HIDDEN or flags == _TITLE:
        return CUT
    if flags & _DESCRIBED:
        return LOST
    words: dict[str, str] = {}
    for part in variants.border.split(rules)[:: variants.border.groups + 1]:
        rule = variants.rule.fullmatch(part)
        if rule:
            words.setdefault(rule[1].lower(), rule[2].strip())
        elif part.strip():
            return rules  # no rules, but words that are not to be converted
    return next((words[code] for code in variants.codes if code in words), rules)
