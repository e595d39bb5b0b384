"""Examples that share a sentence, whatever lies between them."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.corpus.masked import judge
from corefmill.builders.corpus.split import GroupNames, SentenceHashes
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example, finished

PASSAGES = st.lists(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=2), max_size=12)


def hashes(passages: list[list[str]]) -> SentenceHashes:
    """Those of passages whose sentences are letters."""
    made = SentenceHashes()
    for letters in passages:
        made.add("".join(letters), [(n, n + 1) for n in range(len(letters))])
    return made


def connected(keys: list[set[str]]) -> list[int]:
    """The same, by going through all pairs until nothing changes."""
    first = list(range(len(keys)))
    for _ in keys:
        for one, own in enumerate(keys):
            for other, its in enumerate(keys):
                if own & its:
                    first[one] = min(first[one], first[other])
    return first


@given(PASSAGES, st.data())
def test_groups_are_what_sentences_connect(passages: list[list[str]], data: st.DataObject) -> None:
    size = len(passages)
    faults = data.draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    articles = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    keys = [set() if fault else set(p) for p, fault in zip(passages, faults, strict=True)]
    made, dropped = hashes(passages), array("b", faults)
    assert list(made.groups(dropped)) == connected(keys)
    own = [
        letters if fault else letters | {str(article)}
        for letters, article, fault in zip(keys, articles, faults, strict=True)
    ]
    united = [articles[first] for first in connected(own)]
    assert list(made.united(array("Q", articles), dropped)) == united


@pytest.mark.parametrize("seed", range(3))
def test_a_long_chain_in_any_order_is_one_group(seed: int) -> None:
    links = list(range(500))
    random.Random(seed).shuffle(links)
    made = SentenceHashes()
    for link in links:
        made.add(f"{link:03}{link + 1:03}", [(0, 3), (3, 6)])
    made.add("alone", [(0, 5)])
    assert list(made.groups()) == [0] * 500 + [500]


def test_blanks_and_case_make_no_difference() -> None:
    made = SentenceHashes()
    made.add("Ann met  Bob. He left.", [(0, 13), (14, 22)])
    made.add("Cy came. ANN met Bob.", [(0, 8), (9, 21)])
    assert list(made.groups()) == [0, 0]


def test_a_group_has_the_id_of_its_first_example_and_one_alone_has_none() -> None:
    named = GroupNames(array("q", [0, 1, 0, 3, 3, 0]))
    shown = named.named((n, example(n)) for n in range(6))
    assert [one.meta.get("group") for one in shown] == ["e0", None, "e0", "e3", "e3", "e0"]


def of_one_sentence(number: int, article: int, text: str = "") -> MaskedExample:
    made = example(number, article=article, text=text)
    return replace(made, sentences=((0, len(made.text)),))


@pytest.mark.parametrize("seed", range(5))
def test_splits_respect_groups_over_the_borders_of_articles(tmp_path: Path, seed: int) -> None:
    # The passage of every fourth article stands in the article after it, masked elsewhere.
    examples = [of_one_sentence(n, n) for n in range(40)]
    for n in range(0, 40, 4):
        again = of_one_sentence(n + 1, n + 1, examples[n].text)
        examples[n + 1] = replace(again, target=(8, 11), candidates=("Bob", "Ann"))
    verdicts = judge(finished(tmp_path, examples), (), validation=11, limit=None, seed=seed)
    assert sum(verdicts.validation) == 11
    assert sorted(Counter(verdicts.groups).values()) == [1] * 20 + [2] * 10
    pairs = set(zip(verdicts.groups, verdicts.validation, strict=True))
    assert len(pairs) == len(set(verdicts.groups)) == 30


def test_what_was_dropped_connects_nothing(tmp_path: Path) -> None:
    first = example(1)
    between = example(1, links={"Bob": "Mill"})
    last = replace(example(1), sentences=((0, 12),), target=(8, 11), candidates=("Bob", "Ann"))
    examples = [replace(first, sentences=((13, len(first.text)),)), between, last]
    result = finished(tmp_path, examples)
    for banned, groups in (((), [0, 0, 0]), (("Mill",), [0, 1, 2])):
        verdicts = judge(result, (), validation=0, limit=None, seed=0, banned=banned)
        assert list(verdicts.groups) == groups
