"""Each example of the pages on filters and rules is put to its filter or rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp import load_pipeline as load_pipeline
from corefmill.builders.translate.gamma.target import make_tokens
from corefmill.builders.wikicrem import filters
from corefmill.rules.documents import from_text
from corefmill.rules.languages import LANGUAGES, load
from corefmill.rules.rule import refine, text
from tests.builders.knowref import problems
from tests.builders.wec.filters import views
from tests.builders.wikicrem import passages
from tools.site.filters import FUNCTIONS, NAMES, examples

ALL = [(builder, name) for builder in NAMES for name in FUNCTIONS[builder]]


def wikicrem(text: str, *, parse: str | None = None, wiki: bool = False, **more: Any) -> Any:
    syntax = None if parse is None else passages.parsed(passages.marked(text).text, parse)
    return passages.view(text, syntax=syntax, site=passages.WIKI if wiki else None, **more)


def wec(
    text: str,
    *,
    event: str,
    aliases: tuple[str, ...] = (),
    listed: bool = False,
    verbal: bool = False,
    **more: Any,
) -> Any:
    known = {key: more.pop(key) for key in ("location", "date", "victim") if key in more}
    parse = {k: more.pop(k) for k in ("relation", "governor", "preposition") if k in more}
    seen = views.view(text, views.facts(event, aliases=aliases, **known), **more)
    assert seen.reading is not None
    return replace(
        seen,
        link=replace(seen.link, listed=listed),
        reading=replace(seen.reading, verbal=verbal, **parse),
    )


def knowref(
    text: str,
    *,
    parse: str = "slept cc but; slept nsubj she",
    lang: str = "",
    cut: int = 0,
    title: str = "Mill",
    is_person: bool | None = None,
    italic: str = "",
    **more: Any,
) -> Any:
    found = (
        problems.problem_in(lang, text, parse) if lang else problems.problem(text, parse, **more)
    )
    if cut:
        read = found.read
        sentences = ((0, cut), (cut + 1, len(read.text)))
        found = replace(found, read=Analysis(read.text, read.tokens, sentences, ()))
    if italic:
        start = found.text.index(italic)
        found.sentence.paragraph.italic.append((start, start + len(italic)))
    article = replace(found.sentence.article, title=title, is_person=is_person)
    return replace(found, sentence=replace(found.sentence, article=article))


SEEN = {"wikicrem": wikicrem, "wec": wec, "knowref": knowref}


@pytest.mark.parametrize(("builder", "name"), ALL, ids=str)
def test_a_filter_drops_the_one_and_keeps_the_other(builder: str, name: str) -> None:
    given = examples(builder)
    own = given[name]
    for example, dropped in ((own["dropped"], True), (own.get("kept") or given["kept"], False)):
        seen = {"text": example} if isinstance(example, str) else dict(example)
        if name in filters.SYNTAX:
            seen.setdefault("parse", "")
        assert FUNCTIONS[builder][name](SEEN[builder](**seen)) is dropped


@pytest.mark.parametrize(
    "lang",
    [  # spaCy takes five seconds to load its French words
        pytest.param(lang, marks=[pytest.mark.thorough] if lang == "fr" else [])
        for lang in LANGUAGES
    ],
)
def test_a_rule_corrects_the_one_and_leaves_the_other(lang: str) -> None:
    rules = load(lang).rules("clean")
    given = examples("rules")[lang]
    assert [rule.name for rule in rules] == list(given)
    sentences = [sentence for one in given.values() for sentence in (one[0], one[2])]
    analyses = load_pipeline(f"{lang}_mini", lang).full(sentences)
    read = (from_text(one.text, make_tokens(one), one.words)[0] for one in analyses)
    for name, (_, after, stays) in given.items():
        corrected, changes = refine(next(read), rules)
        assert (name, text(corrected)) == (name, after)
        assert name in {change.rule for change in changes}
        assert text(refine(next(read), rules)[0]) == stays
