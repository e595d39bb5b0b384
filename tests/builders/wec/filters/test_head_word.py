"""Heads of mentions whose parser took another word than the one that names the event."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.reading import Reading, read


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


def test_a_title_has_its_kind_behind_a_preposition_too() -> None:
    words, tags = "Songs for Vesk Concert", "PROPN ADP PROPN PROPN"
    assert words[slice(*reading(words, tags, "Songs", is_title=True).head)] == "Concert"
    assert words[slice(*reading(words, tags, "Songs").head)] == "Songs"


def test_a_noun_tagged_as_a_verb_is_a_noun() -> None:
    found = reading("Ammer - Lorne debates", "PROPN PUNCT PROPN VERB", "debates")
    assert (found.pos, found.lemma) == ("NOUN", "debate")
    assert reading("debates", "VERB", "debates", is_title=True).pos == "NOUN"
    assert reading("debates Ammer", "VERB PROPN", "debates").pos == "VERB"
    assert reading("was bombed", "AUX VERB", "bombed").pos == "VERB"


def test_the_lemma_of_a_name_is_singular() -> None:
    assert reading("Vesk Awards", "PROPN PROPN", "Awards").lemma == "Award"
    assert reading("Vesk Olympics", "PROPN PROPN", "Olympics").lemma == "Olympics"
    assert reading("Vesk tragedies", "PROPN NOUN", "tragedies").lemma == "tragedies"


def test_what_governs_the_head_is_told() -> None:
    found = reading("The raid shook Vesk", "DET NOUN VERB PROPN", "shook")
    assert (found.relation, found.governor, found.deed) == ("root", "shook", "shook")
    assert not found.verbal  # no verb outside the mention
