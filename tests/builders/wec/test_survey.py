"""The figures of a card; expected values are the fractions that they are."""

from __future__ import annotations

from fractions import Fraction

import pytest

from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.survey import EventSurvey, SplitCounts, lexical_type
from corefmill.corpora.formats import wec_json
from corefmill.corpora.records import EventMention, Source
from tests.commands import shared


def mention(
    cluster: str, words: str, lemma: str, *, pos: str = "NOUN", number: int = 0, title: str = "P"
) -> EventMention:
    return EventMention(
        id=f"{title}-{number}", lang="en", text=words, start=0, end=len(words), cluster=cluster,
        cluster_title=cluster, event_type="Flood", infobox="infoboxflood",
        source=Source(title, 1), head=(0, len(words)), lemma=lemma, pos=pos,
    )  # fmt: skip


MENTIONS = [
    mention(cluster, word, word)
    for cluster, words in {"a": "flood flood Deluge", "b": "deluge", "c": "flood rain"}.items()
    for word in words.split()
]


def test_table_1() -> None:
    survey = SplitCounts()
    for one in MENTIONS:
        survey.add(one)
    # flood in a, c; deluge in a, b; rain in c
    assert survey.ambiguity == Fraction(2 + 2 + 1, 3)
    # a has flood, Deluge; c has flood, rain; b has one mention
    assert survey.diversity == Fraction(2 + 2, 2)
    # a 3 mentions of 2 strings, b 1 of 1, c 2 of 2
    assert survey.same_strings == (Fraction(3, 2) + 1 + 1) / 3
    assert survey.counts()["non_singleton_clusters"] == 2


@pytest.mark.parametrize(
    ("words", "lemma", "pos", "row"),
    [
        ("exploded", "explode", "VERB", "Verbs"),
        ("Woodstock", "Woodstock", "PROPN", "Proper nouns"),
        ("explosions", "explosion", "NOUN", "Nominalizations"),
        ("party", "party", "NOUN", "Other common nouns"),
        ("it", "it", "PRON", "Other"),
    ],
)
def test_table_8(words: str, lemma: str, pos: str, row: str) -> None:
    assert lexical_type(mention("a", words, lemma, pos=pos), lexicon.load("en")) == row


def test_samples_are_whole_clusters_drawn_by_the_seed() -> None:
    every = [mention(f"c{n}", f"w{i}", "x", number=i) for n in range(60) for i in range(1 + n % 3)]
    first, again, other = (EventSurvey({"en": lexicon.load("en")}, seed) for seed in (1, 1, 2))
    for survey in (first, again, other):
        assert list(survey.watch("train", every)) == every
    assert first.samples == again.samples != other.samples
    assert len(first.samples) == 3
    assert all(len({m.cluster for m in own}) == 1 and len(own) > 1 for own in first.samples)


def test_the_published_figures_come_out() -> None:
    """Half of WEC-Eng's validation set; of the whole the paper says 2.7 and 1.7."""
    survey = SplitCounts()
    for _, one in wec_json.RELEASED.read(shared("data", "wec-eng", "WEC-Eng_dev_half.json"), "en"):
        survey.add(one)
    assert survey.mentions == 595
    assert float(survey.diversity) == pytest.approx(1.7, abs=0.15)
