"""Head, lemma, part of speech and entity of a mention in its paragraph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.nlp.backend import SentenceWords
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.reading import Reading, read, with_heads
from corefmill.corpora.records import EventMention, Source
from corefmill.corpora.words import cut

TEXT = "The great fire of Oslo killed two, as Ann's post-quake book says."
#       0123456789
TREE = {"The": "fire", "great": "fire", "of": "Oslo", "Oslo": "fire", "fire": "killed"}
TAGS = "DET ADJ NOUN ADP PROPN VERB X X X X X X X X"


def analyse(
    text: str, tags: str = "", heads: dict[str, str] | None = None, **more: Any
) -> Analysis:
    """An analysis with the given tags and the heads of words; without `heads`, nothing is parsed.

    A word that `heads` lacks is its own head.
    """
    words = tuple(cut(text, ()))
    forms = [text[start:end] for start, end in words]
    if heads is not None:
        more["head"] = tuple(forms.index(heads.get(form, form)) for form in forms)
    more = {"entities": (), "lemma": tuple(form.lower() for form in forms), **more}
    return Analysis(text, words, ((0, len(text)),), upos=tuple(tags.split()), **more)


def read_head(analysis: Analysis, mention: str) -> str:
    start = TEXT.index(mention)
    reading = read(analysis, start, start + len(mention))
    assert reading is not None
    return TEXT[slice(*reading.head)]


def test_the_head_is_what_nothing_in_the_mention_governs() -> None:
    assert read_head(analyse(TEXT, TAGS, TREE), "great fire of Oslo") == "fire"


def test_without_a_tree_the_last_noun_is_the_head_and_without_tags_the_last_word() -> None:
    assert read_head(analyse(TEXT, TAGS), "great fire of") == "fire"
    assert read_head(analyse(TEXT), "great fire of") == "of"


def test_the_entity_is_the_one_around_the_head() -> None:
    start = TEXT.index("Oslo")
    analysis = analyse(TEXT, "", TREE, entities=(Entity(start, start + 4, "LOC"),))
    fire = read(analysis, 4, start + 4)
    oslo = read(analysis, start, start + 4)
    assert fire is not None and oslo is not None
    assert (fire.ner, oslo.ner) == ("", "LOC")
    assert (fire.lemma, fire.lemmas) == ("fire", ("great", "fire", "of", "oslo"))


def test_a_token_is_cut_where_the_mention_begins_or_ends() -> None:
    reading = read(analyse("the postquake years"), 8, 13)
    assert reading is not None
    assert reading.tokens == ((0, 3), (4, 8), (8, 13), (14, 19))
    assert reading.head == (8, 13)


# Heads of mentions whose parser took another word than the one that names the event.


def reading(words: str, tags: str, head: str, *, is_title: bool = False) -> Reading:
    """Of a mention that is a whole text, all of whose words hang on `head`."""
    forms = words.split()
    starts = [len(" ".join(forms[:i])) + (i > 0) for i in range(len(forms))]
    analysis = Analysis(
        words,
        tuple((a, a + len(form)) for a, form in zip(starts, forms, strict=True)),
        ((0, len(words)),),
        (),
        upos=tuple(tags.split()),
        head=(forms.index(head),) * len(forms),
        deprel=tuple("root" if form == head else "dep" for form in forms),
        lemma=tuple(forms),
    )
    found = read(analysis, 0, len(words), lexicon=lexicon.load("en"), is_title=is_title)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("words", "tags", "parsed", "expected"),
    [
        ("Operation Harvest - Moon", "PROPN PROPN PUNCT PROPN", "Harvest", "Operation"),
        ("VeskOne flight 15P", "PROPN NOUN NOUN", "15P", "flight"),
        ("Kestrian Air Flight 217", "PROPN PROPN PROPN NUM", "Air", "Flight"),
        ("Derrin coup d'état", "PROPN NOUN NUM", "d'état", "coup"),
        ("series of public debates", "NOUN ADP ADJ NOUN", "series", "debates"),
        ("Vesk 37", "PROPN NUM", "37", "Vesk"),
        ("Vesk VII", "PROPN PROPN", "VII", "Vesk"),
        ("elected president in 1902", "VERB NOUN ADP NUM", "president", "elected"),
        ("two decades of civil war", "NUM NOUN ADP ADJ NOUN", "decades", "war"),
        ("bombers in the raid", "NOUN ADP DET NOUN", "bombers", "bombers"),
        ("defeated in battle", "VERB ADP NOUN", "defeated", "defeated"),
        ("Ammer at the summit", "PROPN ADP DET NOUN", "Ammer", "Ammer"),
        ("Battle of Derrin", "PROPN ADP PROPN", "Battle", "Battle"),
    ],
)
def test_the_head_is_the_word_that_names_the_event(
    words: str, tags: str, parsed: str, expected: str
) -> None:
    assert words[slice(*reading(words, tags, parsed).head)] == expected


def test_a_noun_tagged_as_a_verb_is_a_noun() -> None:
    found = reading("Ammer - Lorne debates", "PROPN PUNCT PROPN VERB", "debates")
    assert (found.pos, found.lemma) == ("NOUN", "debate")
    assert reading("debates", "VERB", "debates", is_title=True).pos == "NOUN"
    assert reading("debates Ammer", "VERB PROPN", "debates").pos == "VERB"
    assert reading("was bombed", "AUX VERB", "bombed").pos == "VERB"


def test_the_governor_of_the_head_is_read() -> None:
    found = reading("The raid shook Vesk", "DET NOUN VERB PROPN", "shook")
    assert (found.relation, found.governor, found.deed) == ("root", "shook", "shook")
    assert not found.verbal  # no verb outside the mention


# Heads for records that came without, by a pipeline that notes what it was given.


NEWS = "Fans wait . Police put the Oslo fire out today ."
SENTENCE = {"sentence_span": [12, 48]}


def mention(covered: str, **more: object) -> EventMention:
    start = NEWS.index(covered)
    made = EventMention(
        "1", "en", NEWS, start, start + len(covered), "c", "", "", "", Source("d", 1)
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
            yield self._analyse(text)

    sentences = names = full

    @staticmethod
    def _analyse(text: str) -> Analysis:
        forms = text.split()
        root = forms.index("put") if "put" in forms else len(forms) - 1
        oslo = text.find("Oslo")
        return analyse(
            text,
            " ".join("VERB" if form in ("put", "wait") else "NOUN" for form in forms),
            entities=(Entity(oslo, oslo + 4, "GPE"),) if oslo >= 0 else (),
            head=tuple(i if i == root else i + 1 if i < root else i - 1 for i in range(len(forms))),
            lemma=tuple(form.lower().rstrip("s") for form in forms),
        )


class OnWords(Pipeline):
    """The same, of words too."""

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        for words in sentences:
            self.asked.append("|".join(words.forms))
            yield self._analyse(words.text)


def test_a_mention_is_read_in_its_whole_text() -> None:
    pipeline = OnWords()
    (found,) = with_heads([mention("Fans", lemma="old", ner="PERSON")], pipeline)
    assert found == mention("Fans", head=(0, 4), lemma="fan", pos="NOUN")
    assert pipeline.asked == [NEWS]


def test_a_mention_that_names_its_sentence_is_read_in_that_by_its_words() -> None:
    pipeline = OnWords()
    made = [mention("Oslo", meta=SENTENCE), mention("put", meta=SENTENCE)]
    oslo, put = with_heads(made, pipeline)
    assert pipeline.asked == ["Police|put|the|Oslo|fire|out|today|."]  # once for both
    assert (oslo.head, oslo.lemma, oslo.ner) == ((27, 31), "oslo", "GPE")
    assert (put.head, put.pos, put.ner) == ((19, 22), "VERB", None)


def test_a_pipeline_that_takes_no_words_is_given_the_sentence() -> None:
    pipeline = Pipeline()
    (found,) = with_heads([mention("put", meta=SENTENCE)], pipeline)
    assert pipeline.asked == [NEWS[12:]]
    assert found.head == (19, 22)


def test_of_a_discontinuous_mention_the_words_between_its_parts_are_no_head() -> None:
    parts = ((27, 31), (37, 40))  # Oslo ... out, `fire` between them, which governs neither
    (found,) = with_heads([mention("Oslo fire out", parts=parts)], Pipeline())
    assert found.head in parts


def test_a_mention_without_a_word_stays_as_it_is() -> None:
    blank = replace(mention("wait"), start=4, end=5)
    assert list(with_heads([blank], Pipeline())) == [blank]
