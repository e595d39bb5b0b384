"""The mentions of a language model's text come to the words of the documents it was to repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.realign import align, documents, realigned
from corefmill.corpora.records import Document, Mention, Sentence, Token

# Ada_0 met_1 the_2 old_3 dog_4 ._5 | She_0 fed_1 it_2 ._3
KEY = Document(
    "d",
    0,
    "en",
    tuple(
        Sentence(tuple(map(Token, text.split())))
        for text in ("Ada met the old dog .", "She fed it .")
    ),
    ((Mention(0, 1, 2),),),
    {"corefud": {"ids": ["x"], "sentences": {}}},
)
A = Mention(0, 0, 1), Mention(1, 0, 1)
D = Mention(0, 2, 5), Mention(1, 2, 3)


@pytest.mark.parametrize(
    ("answer", "clusters", "counted"),
    [
        ("Ada|[e1] met the|[e2 old dog|e2] . She|[e1] fed it|[e2] .", (A, D), {}),
        (
            "Sure: Ada|[e1] met the|[e2 dog|e2] . She|[e1] fed it|[e2] .",
            (A, D),
            {"words added": 1, "words left out": 1},
        ),
        (
            "Ada|[e1] met the|[e2 aged dog|e2] . She|[e1] fed it|[e2] .",
            (A, D),
            {"words changed": 1},
        ),
        ("Ada|[e1] met the|[e2 old dog|e2] . She|[e1]", (A, D[:1]), {"words left out": 3}),
        (
            "Ada|[e1 met the old dog|e2] . She fed it .",
            (A[:1], (Mention(0, 4, 5),)),
            {"brackets mended": 2},
        ),
        (
            "Ada met the old dog|[e1 . She|e1] fed it .",
            ((Mention(0, 4, 6),),),
            {"mentions cut at the end of a sentence": 1},
        ),
        ("Ada|[e1],[e2] met the old dog . She fed it .", (A[:1],), {"mentions dropped": 1}),
        (
            "Ada|[e1]|] met the old dog . ##|[e2] She fed it .",
            (A[:1], (Mention(0, 6, 6, zero=True),)),
            {"brackets mended": 1},
        ),
        # Brackets of nested mentions that run together, or have bars between.
        (
            "Ada|[e1] met the|[e2[e3 old|e3] dog|e2] . She|[e1] fed it|[e2] .",
            (A, D, (Mention(0, 2, 4),)),
            {"brackets mended": 1},
        ),
        (
            "Ada|[e1] met the|[e2 old|[e3 dog|e3]|e2] . She|[e1] fed it|[e2] .",
            (A, D, (Mention(0, 3, 5),)),
            {"brackets mended": 1},
        ),
        # Of the outer one words were added alone: the inner one is what stands there.
        (
            "Ada|[e1] met the old big|[e2 dog|[e3],e2] . She|[e1] fed it|[e3] .",
            (A, (Mention(0, 4, 5), D[1])),
            {"words added": 1, "mentions dropped": 1},
        ),
        (
            "Ada|[e1] met the old dog|[e2 .|[e3] She|e2] fed it .",
            (A[:1], (Mention(0, 4, 6),), (Mention(0, 5, 6),)),
            {"mentions cut at the end of a sentence": 1},
        ),
        (
            "Ada met the old dog .|[e2,[e3] She|e2] fed it .",
            ((Mention(0, 5, 6),),),
            {"mentions cut at the end of a sentence": 1, "mentions dropped": 1},
        ),
        ("", (), {"words left out": 10}),
    ],
)
def test_what_a_model_makes_of_a_text(
    answer: str, clusters: tuple[tuple[Mention, ...], ...], counted: dict[str, int]
) -> None:
    counts: Counter[str] = Counter()
    made = realigned(KEY, answer.split(), counts)
    assert made.clusters == clusters
    assert +counts == counted
    assert made.sentences == KEY.sentences
    assert made.meta == {"corefud": {"sentences": {}}}


@given(
    words=st.lists(st.sampled_from("abcdefgh"), max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=6),
    added=st.lists(st.tuples(st.integers(0, 60), st.sampled_from("xyz")), max_size=6),
)
def test_places_rise_and_what_is_untouched_comes_to_itself(
    words: list[str], cuts: list[int], added: list[tuple[int, str]]
) -> None:
    wanted = [f"{word}{number}" for number, word in enumerate(words)]
    said = [word for number, word in enumerate(wanted) if number not in cuts]
    for place, word in added:
        said.insert(place, word)
    for left, right in ((said, wanted), (words, [w[0] for w in said])):
        places = [place for place in align(left, right) if place is not None]
        assert places == sorted(set(places))
        assert all(0 <= place < len(right) for place in places)
    for word, place in zip(said, align(said, wanted), strict=True):
        assert word in "xyz" or (place is not None and wanted[place] == word)


def test_steps_do_not_grow_with_the_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every comparison of two words is counted, of texts with hardly a word that stands once."""

    class Word(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Word.compared += 1
            return str.__eq__(self, other) is True

        __hash__ = str.__hash__

    for size in (2_000, 8_000):
        Word.compared = 0
        wanted = [Word(number * number % 97) for number in range(size)]
        said = [word for number, word in enumerate(wanted) if number % 10]
        align([Word(word) for word in said], wanted)
        assert Word.compared < 600 * size


def test_nested_mentions_do_not_take_the_square_of_their_words() -> None:
    """The words of each mention were gone through, of which nested ones have many together."""
    size = 20_000
    document = Document("d", 0, "en", (Sentence((Token("so"),) * size),), ())
    said = [f"so|[e{n}" for n in range(size // 2)]
    said += [f"so|e{size // 2 - 1 - n}]" for n in range(size // 2)]
    made = realigned(document, said, Counter())
    assert made.clusters[0] == (Mention(0, 0, size),) and len(made.clusters) == size // 2


def test_lines_and_documents_are_as_many(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ada met\n\n")
    assert len(list(documents(path, [(1, KEY), (5, KEY)], Counter()))) == 2
    for key, message in (([(1, KEY)] * 3, "fewer lines"), ([(1, KEY)], "more lines")):
        with pytest.raises(DataError, match=message):
            list(documents(path, key, Counter()))
