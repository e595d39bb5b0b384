"""The cleaner knows where words are missing, and no builder lets such a sentence through."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from corefmill.builders.chains.stages import find_fault
from corefmill.builders.knowref import table as knowref_table
from corefmill.builders.knowref.sentences import find_sentences
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wikirand.stages import list_passages
from corefmill.corpora.words import cut
from tests.builders.chains.parses import read, resolved


def page(wikitext: str) -> Article:
    return Article("k", "Page", 3, clean(wikitext, MarkupSettings("en")).paragraphs)


@pytest.mark.parametrize(
    ("wikitext", "lacking"),
    [
        ("Ann {{x}} left. Bob met Cyd. Dot sang.", "Ann"),
        ("Ann left. Bob met {{x}}. Dot sang.", "Bob"),
        ("Ann left. Bob met <math>x</math> and Cyd. Dot sang.", "Bob"),
        ("Ann left. Bob met {{{1|x}}} there. Dot ''sang'' {{x}} on.", "Bob Dot"),
        ("Ann left. Bob met Cyd. Dot sang {{lang|fr}} on.", "Dot"),
        ("Ann left. Bob met Cyd, {{x}}. Dot sang.", "Bob"),
        ("Ann left ({{x}}). Bob met Cyd. Dot sang.", "Ann"),
        ("{{x}} Ann left. Bob met Cyd. Dot sang.", "Ann"),
        ("Ann left. Bob met Cyd. Dot sang. {{x}}", "Dot"),
        # What stands between two sentences may have been of either.
        ("Ann left. {{x}} Bob met Cyd. Dot sang.", "Ann Bob"),
        ("Ann left. Bob [[met]] '''Cyd''' {{x}} [[{{x}}]]. Dot sang.", "Bob"),
        ("Ann left. Bob met {{one {{small|Cyd}} there. Dot sang.", "Bob"),
        ("Ann left.<ref>{{x}}</ref> Bob {{nowrap|met}} Cyd.<!-- {{x}} --> Dot sang.", ""),
    ],
)
def test_a_loss_is_told_by_its_sentence(wikitext: str, lacking: str) -> None:
    (paragraph,) = page(wikitext).paragraphs
    found, start = [], 0
    for end in (at + 1 for at, sign in enumerate(paragraph.text) if sign == "."):
        if paragraph.lacks_words(start, end):
            found.append(paragraph.text[start:end].split()[0])
        start = end + 1
    assert found == lacking.split()
    assert paragraph.lacks_words() is bool(lacking)


FIRST = "Ann had told Bea the news, but she slept on."
SECOND = "Eve had told Bea the news, but she left."


@pytest.mark.parametrize(
    ("wikitext", "kept", "lost"),
    [
        (f"{FIRST} {SECOND}", [FIRST, SECOND], 0),
        (f"{FIRST.replace('the', '{{x}} the')} {SECOND}", [SECOND], 1),
        (f"{FIRST} {SECOND.replace('left', 'left {{x}}')}", [FIRST], 1),
    ],
)
def test_knowref(wikitext: str, kept: list[str], lost: int) -> None:
    words = knowref_table.load("en"), Genders("en", table.load("en"))
    context = Context(0, 0)
    found = list(find_sentences(*words, iter([page(wikitext)]), context, known=False))
    assert [one.text for one in found] == kept
    assert context.rejects["words_lost"] == context.counts["paragraphs_lacking_words"] == lost


def test_chains() -> None:
    sentences, _ = resolved([read(["[Martha] sang .", "[John] bowed .", "[Martha] smiled ."])])
    for place, lacking in ((None, []), (20, [1]), (13, [0, 1]), (40, [2])):
        sentences[0].paragraph.paragraph.lost = [] if place is None else [place]
        faults = [find_fault(sentence, 0) for sentence in sentences]
        assert [at for at, fault in enumerate(faults) if fault == "words_lost"] == lacking


@pytest.mark.parametrize(("titles", "most"), [((), 2), (None, 3)])
def test_wikirand_in_clean_mode(titles: Any, most: int) -> None:
    def sentences(texts: Any) -> Any:
        spans = ((0, 9), (10, 14), (15, 24), (25, 34))
        return [Analysis(text, tuple(cut(text, ())), spans, ()) for text in texts]

    article, context = page("Ann left. Bob {{x}}. Dot sang. Eve slept."), Context(0, 0)
    pipeline = cast(Any, SimpleNamespace(sentences=sentences))
    found = list(list_passages(pipeline, titles, 4, iter([article]), context))
    assert context.rejects["words_lost"] == (titles is not None)
    assert max(len(one.sentences) for one in found) == (most if titles is not None else 4)
    assert any("Bob" in one.text for one in found) is (titles is None)
