"""Head, lemma, part of speech and entity of a mention in its paragraph."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.wec.filters.reading import read
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


def test_of_several_heads_the_noun_counts_first_then_the_verb() -> None:
    assert shown(analysed("DET ADJ NOUN ADP PROPN VERB", {}), "great fire of Oslo killed") == "fire"
    assert shown(analysed("DET ADJ X ADP X VERB", {}), "great fire of Oslo killed") == "killed"


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


def test_a_mention_of_blanks_has_no_reading() -> None:
    assert read(analysed(), 3, 4) is None


def test_a_token_is_cut_where_the_mention_begins_or_ends() -> None:
    text = "the postquake years"
    tokens = ((0, 3), (4, 13), (14, 19))
    analysis = Analysis(text=text, tokens=tokens, sentences=((0, 19),), entities=())
    reading = read(analysis, 8, 13)
    assert reading is not None
    assert reading.tokens == ((0, 3), (4, 8), (8, 13), (14, 19))
    assert text[slice(*reading.head)] == "quake"


@settings(max_examples=60)
@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_any_mention(start: int, end: int) -> None:
    reading = read(analysed("DET ADJ NOUN", TREE), start, end)
    if reading is None:
        assert not TEXT[start:end].strip()
        return
    assert start <= reading.head[0] < reading.head[1] <= end
    assert all(left < right for left, right in reading.tokens)
    assert "".join(TEXT[a:b] for a, b in reading.tokens) == TEXT.replace(" ", "")
