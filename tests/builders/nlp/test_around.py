"""Sentences around places are read as in the whole text, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest
import spacy

from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp.around import analyse_around, compute_reach
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.corpora.records import Span

TEXT = (
    "The river had risen for days before anybody in the valley thought of leaving. "
    "In March 1931 Gen. Anna Marsh of the 2nd Army saw the great flood of Vesk from the old mill. "
    "She wrote to Mr. Darcy that no bridge was left, and that the farmers' cattle had drowned. "
    "Nobody answered her. The mayor of Vesk, Bob Hill, left for London in the spring of 1932. "
    "A new bridge was built of stone by the same masons who had built the mill a century earlier. "
    "It still stands, and on summer evenings the children of the village swim in its shadow."
)


def place(words: str, text: str = TEXT) -> Span:
    start = text.index(words)
    return start, start + len(words)


def sentence_of(analysis: Analysis, at: Span) -> tuple[object, ...]:
    """All that an analysis says of the sentences that hold a place."""
    held = [(s, e) for s, e in analysis.sentences if s < at[1] and at[0] < e]
    start, end = held[0][0], held[-1][1]
    inside = [i for i, (at, _) in enumerate(analysis.words) if start <= at < end]
    columns = (analysis.forms, analysis.upos, analysis.deprel, analysis.xpos, analysis.feats)
    return (
        held,
        [analysis.words[i] for i in inside],
        [analysis.words[analysis.head[i]] for i in inside],
        [[column[i] for i in inside] for column in (*columns, analysis.lemma) if column],
        [entity for entity in analysis.entities if start <= entity.start < end],
    )


@pytest.mark.parametrize("words", ["river had", "great flood", "drowned", "answered", "masons"])
def test_a_sentence_is_read_as_in_the_whole_text(words: str) -> None:
    english = SpacyPipeline("en_mini", "en")
    (whole,) = english.full([TEXT])
    (found,) = english.around([(TEXT, [place(words)])])
    assert found.tokens == whole.tokens
    assert sentence_of(found, place(words)) == sentence_of(whole, place(words))
    assert 0 < len(found.words) < len(whole.words)


def test_several_places_of_several_texts() -> None:
    english = SpacyPipeline("en_mini", "en")
    other = "Ann left. " * 20 + "Bob Hill saw the flood of Orla."
    asked = [(TEXT, [place("village"), place("great flood")]), (other, [place("Orla", other)])]
    for (text, places), whole, found in zip(
        asked, english.full([TEXT, other]), english.around(asked), strict=True
    ):
        assert found.text == text
        for one in places:
            assert sentence_of(found, one) == sentence_of(whole, one)


def test_pieces_of_written_tokens_keep_their_forms() -> None:
    italian = SpacyPipeline("it_mini", "it")
    text = "Anna partì. " * 10 + "Nel cuore della notte venne la piena. " + "Nessuno rispose. " * 10
    (whole,) = italian.full([text])
    (found,) = italian.around([(text, [place("piena", text)])])
    assert sentence_of(found, place("piena", text)) == sentence_of(whole, place("piena", text))
    assert found.tokens == whole.tokens
    assert "di" in found.forms


def cut_at_bars(read: list[str], texts: Iterable[str]) -> Iterator[Analysis]:
    """Sentences end at bars alone, whatever full stops say; notes what is read."""
    for text in texts:
        read.append(text)
        sentences = tuple(match.span() for match in re.finditer(r"[^| ][^|]*\|?", text))
        yield Analysis(text, tuple(words(text)), sentences, (), upos=("X",) * len(words(text)))


def words(text: str) -> list[Span]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def read_around(text: str, places: list[Span], distance: int) -> tuple[Analysis, list[str]]:
    read: list[str] = []
    (found,) = analyse_around(
        [(text, places)],
        distance,
        lambda texts: cut_at_bars(read, texts),
        lambda texts: (tuple(words(text)) for text in texts),
    )
    return found, read


def test_where_no_sentence_ends_at_the_full_stop_more_is_read() -> None:
    text = "one. " * 3 + "two| " + "three. " * 8 + "here. " + "four. " * 8 + "five| " + "six. " * 9
    found, read = read_around(text, [place("here", text)], 2)
    (sentence,) = found.sentences
    assert text[slice(*sentence)] == ("three. " * 8 + "here. " + "four. " * 8 + "five|")
    assert len(found.words) == 18
    assert [len(part.split()) for part in read] == [5, 9, len(text.split())]


def test_reach_is_unknown_where_a_part_is() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    assert compute_reach(nlp) is None
