"""Rewritten items: other names, another tense, two sentences for one; and what is none."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.anchors import BLOCK
from corefmill.builders.overlap.rewritten import RewrittenQuery, matches, wanted
from corefmill.builders.overlap.stems import stem
from corefmill.builders.overlap.words import clean, forms, hashed
from corefmill.corpora.formats.candidates import masked_example
from corefmill.corpora.records import MaskedExample

TEXT = "The trophy did not fit into the brown suitcase because it was too large."
START = TEXT.index("it was")
TROPHY = masked_example(
    "1", "en", TEXT, (START, START + 2), ("The trophy", "the brown suitcase"), 0
)
LETTER = "Ann thanked Eve for the letter and hurried home since she had missed the last train."
AT = LETTER.index("she")
ANN = masked_example("2", "en", LETTER, (AT, AT + 3), ("Ann", "Eve"), 0)
COMMON = {"the": 60_000, "and": 50_000, "for": 20_000, "into": 9_000, "because": 4_000}


def query(*examples: MaskedExample) -> RewrittenQuery:
    """By a text of 100,000 sentences, in 30 of which stands a word that is not common."""
    return wanted(examples, "en", lambda word: COMMON.get(word, 30), 100_000)


def found(asked: RewrittenQuery, *paragraphs: str) -> list[tuple[int, str]]:
    words: Sequence[list[str]] = [forms(clean, text) for text in paragraphs]
    flat = [word for own in words for word in own]
    ends = np.cumsum([len(own) for own in words], dtype=np.int64)
    return [
        (item, " ".join(flat[first : last + 1]))
        for item, _, first, last in matches(asked, flat, ends)
    ]


def test_other_names_another_tense_and_two_sentences_are_the_same_item() -> None:
    text = "He sat. Kim thanks Bo for the letter. She hurries home, has missed the last train. Oh."
    [(item, where)] = found(query(TROPHY, ANN), "Nothing.", text)
    assert (
        item == 1 and where == "thanks bo for the letter she hurries home has missed the last train"
    )


def test_its_words_in_another_order_or_far_apart_are_not() -> None:
    backwards = " ".join(reversed(forms(clean, LETTER)))
    assert not found(query(ANN), backwards)
    apart = " so it went on for a good while ".join(forms(clean, LETTER))
    assert not found(query(ANN), apart)


def test_half_of_its_words_are_not() -> None:
    assert not found(query(ANN), "Kim thanked Bo for the letter and slept.")


def test_it_does_not_go_over_the_end_of_a_paragraph() -> None:
    half = LETTER.index("home")
    assert found(query(ANN), LETTER) and not found(query(ANN), LETTER[:half], LETTER[half:])


def test_an_item_of_few_rare_words_is_too_short_and_never_found() -> None:
    text = "Ann and Eve and she went."
    short = replace(ANN, text=text, target=(16, 19), sentences=())
    asked = wanted([short, ANN], "en", lambda _: 20_000, 100_000)
    assert asked.too_short(0) and not found(asked, text)
    assert not query(ANN).too_short(0)


def test_every_place_of_an_item_is_found() -> None:
    assert len(found(query(ANN), LETTER, "Nothing.", LETTER)) == 2
    again = "Then Kim thanks Bo for the letter; she hurries home, has missed the last train."
    third = LETTER.replace("Ann", "Jo").replace("Eve", "Liz")
    assert len(found(query(ANN), f"{LETTER} {again} {third}")) == 3
    assert found(query(ANN)) == [] and found(query(), LETTER) == []


def test_a_stem_is_as_frequent_as_all_its_words() -> None:
    """ "not" stands for "note" as well, so that finding it says little."""
    note = replace(ANN, text=LETTER.replace("train", "note"), sentences=())
    often = {"not": 60_000}
    for frequency, rare in (often.get, False), (COMMON.get, True):
        asked = wanted([note], "en", lambda word, of=frequency: of(word, 30), 100_000)
        assert (asked.items[0].bag[hashed(stem("note", "en"))] > 5) is rare


def test_the_pronoun_speaks_for_an_item_but_is_not_needed() -> None:
    """A rewritten one may have another, as another's name may ask for it."""
    asked = query(ANN)
    assert hashed(stem("she", "en")) in dict(asked.items[0].names)
    assert found(asked, LETTER.replace("she", "he")) and found(asked, LETTER)


def test_what_the_scan_leaves_out_is_nowhere() -> None:
    """Against every item at every anchor, in texts of the items' own words."""
    draw = random.Random(0)
    words = sorted({*forms(clean, TEXT), *forms(clean, LETTER), "so", "ran", "old"})
    asked = query(TROPHY, ANN)
    for _ in range(50):
        paragraphs = [draw.choices(words, k=draw.randrange(0, 150)) for _ in range(8)]
        flat = [word for own in paragraphs for word in own]
        ends = np.cumsum([len(own) for own in paragraphs], dtype=np.int64)
        codes = np.array([asked.numbers[word] for word in flat], dtype=np.int64)
        made = {(one.item, one.start, one.end) for one in asked.scan.suspects(codes, ends)}
        assert made == set(by_hand(asked, codes, ends))


def by_hand(
    asked: RewrittenQuery, codes: NDArray[np.int64], ends: NDArray[np.int64]
) -> Iterator[tuple[int, int, int]]:
    """Each item whose stems weigh enough around an anchor, and the words around its block."""
    stems = [asked.stems[code] for code in codes.tolist()]
    widest = max(item.reach for item in asked.items)
    for first, last in pairwise([0, *ends.tolist()]):
        for block in range(first // BLOCK, last // BLOCK + 1):
            inside = range(max(first, block * BLOCK), min(last, (block + 1) * BLOCK))
            own = [item.anchors(asked.share) for item in asked.items]
            at = [place for place in inside if any(stems[place] in one for one in own)]
            if not at:
                continue
            start, end = max(first, at[0] - widest), min(last, at[-1] + widest)
            there = set(stems[start:end])
            for number, item in enumerate(asked.items):
                weight = sum(item.bag[one] for one in item.once & there)
                anchored = any(stems[place] in own[number] for place in at)
                if anchored and weight >= asked.share * item.total:
                    yield number, start, end


def test_a_query_goes_to_other_processes() -> None:
    asked = pickle.loads(pickle.dumps(query(TROPHY, ANN)))
    assert [item for item, _ in found(asked, LETTER)] == [1]
