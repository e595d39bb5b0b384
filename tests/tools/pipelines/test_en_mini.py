"""The shipped English pipeline: its shape, its size, and the names it finds in our sentences."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from corefmill.builders.nlp.backend import shipped_names, shipped_path
from tools.pipelines import english, pipeline, save, score, sources

NARRATIVE = Path(__file__).with_name("narrative_en.txt")
MOST_MEGABYTES = 15
LEAST_PERSON_F1 = 0.90  # a little under the card's
LEAST_SINGLE_RECALL = 0.85


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.load(shipped_path("en_mini"))


@pytest.fixture(scope="module")
def fast() -> Language:
    return spacy.load(shipped_path("en_mini"), exclude=list(english.SYNTAX))


def test_unknown_name_lists_the_legal_ones() -> None:
    assert "en_mini" in shipped_names()
    with pytest.raises(ValueError, match=r"'en_maxi'.*legal names: .*en_mini"):
        shipped_path("en_maxi")


def test_size_card_and_licence() -> None:
    folder = shipped_path("en_mini")
    assert save.megabytes(folder) <= MOST_MEGABYTES
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "python -m tools.pipelines.recipe en_mini" in card
    assert "CC BY-NC-SA" in (folder / "LICENCE.txt").read_text(encoding="utf-8")


def test_components_in_order(nlp: Language) -> None:
    assert tuple(nlp.pipe_names) == pipeline.HOT + english.SYNTAX
    assert set(nlp.get_pipe("ner").labels) == {"PER", "LOC", "ORG", "MISC"}  # type: ignore[attr-defined]


def test_the_fast_half_finds_the_same_names_alone(nlp: Language, fast: Language) -> None:
    text = "Denise wrote to Mr. Darcy. He was in London with Victor, and he did not answer her."
    found = [[(e.text, e.label_) for e in n(text).ents] for n in (nlp, fast)]
    with nlp.select_pipes(enable=list(pipeline.HOT)):
        found.append([(e.text, e.label_) for e in nlp(text).ents])
    assert found[0] == found[1] == found[2]
    assert ("Denise", "PER") in found[0]


def test_parser_keeps_to_the_senters_sentences(nlp: Language, fast: Language) -> None:
    text = "The lamp went out. Nobody spoke for a long while. Then the door opened."
    doc = nlp(text)
    assert [s.text for s in doc.sents] == [s.text for s in fast(text).sents]
    assert len(list(doc.sents)) == 3
    for sentence in doc.sents:
        assert all(token.head in sentence for token in sentence)
    assert [t.pos_ for t in doc[:2]] == ["DET", "NOUN"]
    assert doc[1].dep_ == "nsubj"


def test_word_vectors_are_found_whatever_the_case(nlp: Language) -> None:
    rows = nlp.vocab.vectors.find(keys=[t.lower for t in nlp.make_doc("house House HOUSE")])
    assert nlp.vocab.vectors.attr == spacy.symbols.LOWER
    assert len(set(rows.tolist())) == 1
    assert rows[0] >= 0


def test_lemmas(nlp: Language) -> None:
    doc = nlp("She was taking the children's keys when the men ran.")
    lemmas = [token.lemma_ for token in doc]
    assert lemmas == [
        "she",
        "be",
        "take",
        "the",
        "child",
        "'s",
        "key",
        "when",
        "the",
        "man",
        "run",
        ".",
    ]


def test_persons_of_the_narrative_sentences(fast: Language) -> None:
    samples = list(sources.marked(NARRATIVE))
    assert len(samples) == 200
    counts = score.span_counts(fast, samples, ["PER"])
    assert score.f1(*counts["PER"]) >= LEAST_PERSON_F1, counts
    found, total = score.single_names(fast, samples)
    assert found >= LEAST_SINGLE_RECALL * total, (found, total)


@pytest.mark.parametrize(
    "text",
    [
        "Heaven help us, the river is over the road.",
        "Yes, he had seen the light.",
        "Aunt was asleep in her chair when the letter came.",
        "The Captain would not hear of turning back.",
        '"Miss, your gloves!" cried the boy.',
        "Lord, what a night it was!",
        "Father was in the garden, talking to the priest.",
        "Alas, the bridge was down and the guide had gone.",
        '"Sir, the horses are ready," said the groom.',
    ],
)
def test_no_title_or_interjection_is_a_name(fast: Language, text: str) -> None:
    assert [(name.text, name.label_) for name in fast(text).ents] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mr. Darcy bowed.", "Darcy"),
        ("She took Darcy's hand.", "Darcy"),
        ("Mrs. Pell kept the key.", "Pell"),
        ("Captain Holloway folded the chart.", "Holloway"),
    ],
)
def test_names_go_without_title_and_possessive(fast: Language, text: str, name: str) -> None:
    assert [(found.text, found.label_) for found in fast(text).ents] == [(name, "PER")]
