"""Head, lemma, part of speech and entity of a mention in its paragraph."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.reading import Reading, read
from corefmill.corpora.words import cut

TEXT = "The great fire of Oslo killed two, as Ann's post-quake book says."
#       0123456789


def analysed(
    upos: str = "", heads: dict[str, str] | None = None, entities: tuple[Entity, ...] = ()
) -> Analysis:
    words = cut(TEXT, ())
    forms = [TEXT[start:end] for start, end in words]
    tags = upos.split() if upos else []
    head = [forms.index(heads.get(form, form)) for form in forms] if heads is not None else []
    return Analysis(
        text=TEXT,
        tokens=tuple(words),
        sentences=((0, len(TEXT)),),
        entities=entities,
        upos=tuple(tags[i] if i < len(tags) else "X" for i in range(len(words))) if tags else (),
        head=tuple(head),
        lemma=tuple(form.lower() for form in forms),
    )


def shown(analysis: Analysis, mention: str) -> str:
    start = TEXT.index(mention)
    reading = read(analysis, start, start + len(mention))
    assert reading is not None
    return TEXT[slice(*reading.head)]


TREE = {"The": "fire", "great": "fire", "of": "Oslo", "Oslo": "fire", "fire": "killed"}


def test_the_head_is_what_nothing_in_the_mention_governs() -> None:
    assert shown(analysed("DET ADJ NOUN ADP PROPN VERB", TREE), "great fire of Oslo") == "fire"


def test_without_a_tree_the_last_noun_is_the_head_and_without_tags_the_last_word() -> None:
    assert shown(analysed("DET ADJ NOUN ADP PROPN VERB"), "great fire of") == "fire"
    assert shown(analysed(), "great fire of") == "of"


def test_the_entity_is_the_one_around_the_head() -> None:
    start = TEXT.index("Oslo")
    analysis = analysed("", TREE, (Entity(start, start + 4, "LOC"),))
    fire = read(analysis, 4, start + 4)
    oslo = read(analysis, start, start + 4)
    assert fire is not None and oslo is not None
    assert (fire.ner, oslo.ner) == ("", "LOC")
    assert (fire.lemma, fire.lemmas) == ("fire", ("great", "fire", "of", "oslo"))


def test_a_token_is_cut_where_the_mention_begins_or_ends() -> None:
    text = "the postquake years"
    tokens = ((0, 3), (4, 13), (14, 19))
    analysis = Analysis(text=text, tokens=tokens, sentences=((0, 19),), entities=())
    reading = read(analysis, 8, 13)
    assert reading is not None
    assert reading.tokens == ((0, 3), (4, 8), (8, 13), (14, 19))
    assert text[slice(*reading.head)] == "quake"


# Heads of mentions whose parser took another word than the one that names the event.


def reading(words: str, tags: str, head: str, *, is_title: bool = False) -> Reading:
    """Of a mention that is a whole text, all of whose words hang on `head`."""
    forms = words.split()
    starts = [len(" ".join(forms[:i])) + (i > 0) for i in range(len(forms))]
    tokens = tuple((a, a + len(form)) for a, form in zip(starts, forms, strict=True))
    analysis = Analysis(
        text=words,
        tokens=tokens,
        sentences=((0, len(words)),),
        entities=(),
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


def test_what_governs_the_head_is_told() -> None:
    found = reading("The raid shook Vesk", "DET NOUN VERB PROPN", "shook")
    assert (found.relation, found.governor, found.deed) == ("root", "shook", "shook")
    assert not found.verbal  # no verb outside the mention
