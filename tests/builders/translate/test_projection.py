"""Every mention comes back where it belongs, by one of three ways, or is counted with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from corefmill.builders.run.stages import Context, run_stages
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.options import MentionsBy, TranslateRequest
from corefmill.builders.translate.stages import Chain
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.builders.translate.double import WordForWord
from tests.builders.translate.running import loaded

OPTIONS = TranslateRequest(to_lang="it", method=MentionsBy.marks, nlp_to="it_mini")


class Changed(WordForWord):
    """Word for word, but for what `change` makes of an answer."""

    def __init__(self, change: Callable[[str], str | DataError]) -> None:
        self._change = change

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:  # type: ignore[override]
        return [self._change(text) for text in super().translate(texts)]


def document(*sentences: str, clusters: Sequence[Sequence[tuple[int, int, int]]]) -> Document:
    spoken = tuple(Sentence(tuple(map(Token, one.split())), speaker="Ada") for one in sentences)
    mentions = tuple(tuple(Mention(*place) for place in cluster) for cluster in clusters)
    return Document("d", 0, "en", spoken, mentions)


TALK = document(
    "I said that the dog of Marta joins us .",
    "Marta saw it .",
    clusters=[[(0, 6, 7), (1, 0, 1)], [(0, 3, 7), (1, 2, 3)], [(0, 0, 1)], [(0, 8, 9)]],
)


def ran(
    given: Document, change: Callable[[str], str | DataError]
) -> tuple[list[list[str]], Context]:
    """The words of delta's mentions by cluster, and what was counted."""
    parser = TargetParser(loaded("it_mini", "it"))
    stages = Chain(OPTIONS, None, parser, Changed(change)).stages()
    context = Context(0, 0)
    outs = list(run_stages(stages, (("train", given),), context))
    (line,) = [record["line"] for name, record in outs if name == "gamma"]
    made = jsonl.loads(line.encode(), Document)
    forms = [[token.form for token in sentence.tokens] for sentence in made.sentences]
    words = [
        [" ".join(forms[m.sentence][m.start : m.end]) for m in cluster] for cluster in made.clusters
    ]
    assert {sentence.speaker for sentence in made.sentences} == {"Ada"}
    return words, context


WHOLE = [["I"], ["il cane di Marta", "it"], ["Marta", "Marta"], ["noi"]]


def marks_of(context: Context) -> dict[str, int]:
    return {key: n for key, n in sorted(context.counts.items()) if key.startswith("marks") and n}


def test_nested_mentions_speakers_and_clusters_of_one_are_kept() -> None:
    words, context = ran(TALK, lambda text: text)
    assert words == WHOLE
    assert marks_of(context) == {"marks.first": 6}
    assert not context.rejects


def test_a_second_try_has_other_marks() -> None:
    words, context = ran(TALK, lambda text: text.replace("</3>", ""))
    assert words == WHOLE
    assert marks_of(context) == {"marks.first": 2, "marks.second": 4}


def without_marks(text: str) -> str:
    return re.sub(r"[<\[]/?\d+[>\]]", "", text)


def test_where_marks_vanish_the_words_themselves_are_found() -> None:
    words, context = ran(TALK, without_marks)
    # Pronouns are too short to be looked for, so the dog's cluster has one mention left, and goes.
    assert words == [["Marta", "Marta"]]
    assert marks_of(context) == {"marks.found": 3}
    assert context.rejects["gamma.mentions.mark_missing"] == 3


def test_pieces_of_marks_do_not_reach_the_corpus() -> None:
    words, context = ran(TALK, lambda text: text.replace("</4>", " 4").replace("[/4]", " 4"))
    assert words == [["il cane di Marta", "it"], ["Marta", "Marta"]]
    assert context.rejects == {"gamma.mentions.mark_spoilt": 2}


def test_an_enclitic_is_a_mention_within_a_written_word() -> None:
    given = document("Send me it .", clusters=[[(0, 1, 2)], [(0, 2, 3)]])
    words, context = ran(given, lambda text: "Manda<1>me</1><2>lo</2>.")
    assert words == [["me"], ["lo"]]
    assert not context.rejects


def test_a_verb_behind_a_mention_is_in_full_and_the_beginning_a_capital() -> None:
    asked: list[str] = []

    def heard(text: str) -> str:
        asked.append(text)
        return "<1>io</1> sono qui ."

    given = document("I 'm here .", clusters=[[(0, 0, 1)]])
    words, _ = ran(given, heard)
    assert words == [["Io"]]
    assert asked == ["<1>I</1> am here."]


def test_a_translator_that_fails_on_an_utterance_loses_it() -> None:
    def fails(text: str) -> str | DataError:
        return DataError("no") if "cane" in text else text

    words, context = ran(TALK, fails)
    assert words == []
    assert context.rejects["gamma.utterances.translator_failed"] == 1
    assert context.rejects["gamma.mentions.utterance_lost"] == 4


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("the dog saw", "il cane vide il cane"),
        ("the dog saw", "la casa"),
        ("the dog saw the dog", "il cane dorme"),
    ],
)
def test_what_is_there_twice_or_not_at_all_is_not_found(source: str, answer: str) -> None:
    given = document(source, clusters=[[(0, 0, 2)]])
    words, context = ran(given, lambda text: "il cane" if text == "il cane" else answer)
    assert words == []
    assert context.rejects == {"gamma.mentions.mark_missing": 1}
