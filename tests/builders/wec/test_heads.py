"""Heads of event mentions, by a pipeline that says where it was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.nlp.backend import SentenceWords
from corefmill.builders.wec.filters.reading import with_heads
from corefmill.corpora.records import EventMention, Source
from corefmill.corpora.words import cut

TEXT = "Fans wait . Police put the Oslo fire out today ."
SENTENCE = [12, 48]


def mention(covered: str, **more: object) -> EventMention:
    start = TEXT.index(covered)
    made = EventMention(
        "1", "en", TEXT, start, start + len(covered), "c", "", "", "", Source("d", 1)
    )
    return replace(made, **more)  # type: ignore[arg-type]


class Pipeline:
    """Every word hangs on the next but `put`, which is the root; `Oslo` is a place."""

    name = version = identity = "toy"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        for text in texts:
            self.asked.append(text)
            yield self._analysis(text, tuple(cut(text, ())))

    sentences = names = full

    @staticmethod
    def _analysis(text: str, words: tuple[tuple[int, int], ...]) -> Analysis:
        forms = [text[start:end] for start, end in words]
        root = forms.index("put") if "put" in forms else len(forms) - 1
        oslo = text.find("Oslo")
        return Analysis(
            text=text,
            tokens=words,
            sentences=((0, len(text)),),
            entities=(Entity(oslo, oslo + 4, "GPE"),) if oslo >= 0 else (),
            upos=tuple("VERB" if form in ("put", "wait") else "NOUN" for form in forms),
            head=tuple(i if i == root else i + 1 if i < root else i - 1 for i in range(len(forms))),
            lemma=tuple(form.lower().rstrip("s") for form in forms),
        )


class OnWords(Pipeline):
    """The same, of words too."""

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        for words in sentences:
            self.asked.append("|".join(words.forms))
            yield self._analysis(words.text, tuple(cut(words.text, ())))


def test_a_mention_is_read_in_its_whole_text() -> None:
    pipeline = OnWords()
    (found,) = with_heads([mention("Fans", lemma="old", ner="PERSON")], pipeline)
    assert found == mention("Fans", head=(0, 4), lemma="fan", pos="NOUN")
    assert pipeline.asked == [TEXT]


def test_a_mention_that_names_its_sentence_is_read_in_that_by_its_words() -> None:
    meta = {"sentence_span": SENTENCE}
    pipeline = OnWords()
    made = [mention("Oslo", meta=meta), mention("put", meta=meta)]
    oslo, put = with_heads(made, pipeline)
    assert pipeline.asked == ["Police|put|the|Oslo|fire|out|today|."]  # once for both
    assert (oslo.head, oslo.lemma, oslo.ner) == ((27, 31), "oslo", "GPE")
    assert (put.head, put.pos, put.ner) == ((19, 22), "VERB", None)


def test_a_pipeline_that_takes_no_words_is_given_the_sentence() -> None:
    pipeline = Pipeline()
    (found,) = with_heads([mention("put", meta={"sentence_span": SENTENCE})], pipeline)
    assert pipeline.asked == [TEXT[12:]]
    assert found.head == (19, 22)


def test_of_a_discontinuous_mention_the_words_between_its_parts_are_no_head() -> None:
    parts = ((27, 31), (37, 40))  # Oslo ... out, `fire` between them, which governs neither
    (found,) = with_heads([mention("Oslo fire out", parts=parts)], Pipeline())
    assert found.head in parts


def test_a_mention_without_a_word_stays_as_it_is() -> None:
    blank = replace(mention("wait"), start=4, end=5)
    assert list(with_heads([blank], Pipeline())) == [blank]
