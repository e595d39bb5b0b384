"""Validation splits hold whole articles, and groups of examples that share a sentence."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.corpus.masked import judge_examples
from corefmill.builders.corpus.split import (
    GroupNames,
    SentenceHashes,
    draw_articles,
    draw_validation,
    hash_article,
    warn_of_empty_split,
)
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example, finished

ARTICLES = st.lists(st.integers(0, 8), max_size=60)


def test_articles_of_one_title_differ_by_page_and_the_other_way_round() -> None:
    sources = [{"page_id": page, "title": title} for page in (1, 2) for title in ("Ann", "Bob")]
    assert len(set(map(hash_article, sources))) == 4
    assert hash_article({**sources[0], "paragraph": 3}) == hash_article(sources[0])


def test_an_empty_split_is_said() -> None:
    assert warn_of_empty_split([0, 1, 1], [0, 0, 1], "examples", 1) == ()
    (none_held_out,) = warn_of_empty_split([0, 0], [0, 0], "examples", 1)
    assert "all examples are in train" in none_held_out
    (none_to_train_on,) = warn_of_empty_split([1, 0, 1], [0, 2, 0], "documents", None)
    assert "all documents are in validation" in none_to_train_on


@given(ARTICLES, st.integers(0, 70), st.integers(0, 3))
def test_articles_stay_whole_and_the_size_is_not_passed(
    articles: list[int], wanted: int, seed: int
) -> None:
    chosen = draw_articles(articles, [0] * len(articles), wanted, seed)
    assert sum(chosen) <= wanted
    by_article = {(article, split) for article, split in zip(articles, chosen, strict=True)}
    assert len(by_article) == len(set(articles))


def novels(*sizes: int) -> list[int]:
    return [number for number, size in enumerate(sizes) for _ in range(size)]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(0, 3))
def test_by_default_validation_has_thirty_or_five_percent_and_never_more_than_a_fifth(
    sizes: list[int], seed: int
) -> None:
    articles = novels(*sizes)
    chosen = draw_validation(articles, [0] * len(articles), None, seed)
    assert not any(chosen) or max(30, len(articles) // 20) <= sum(chosen) <= len(articles) / 5
    assert len({*zip(articles, chosen, strict=True)}) == len(sizes)


def test_no_validation_split_where_every_source_is_more_than_a_fifth() -> None:
    articles = novels(100, 100, 100)
    assert not any(draw_validation(articles, [0] * 300, None, 0))


def test_a_source_is_not_chosen_by_its_size() -> None:
    """Eight novels once gave one example, that of the poorest; now any that may go goes."""
    articles = novels(1, 8, 15, 43, 27, 53, 62, 40)
    drawn = set()
    for seed in range(40):
        chosen = draw_validation(articles, [0] * len(articles), None, seed)
        assert 30 <= sum(chosen) <= len(articles) / 5
        drawn |= {article for article, one in zip(articles, chosen, strict=True) if one}
    assert drawn >= {2, 3, 4, 7}


def test_dropped_examples_are_no_part_of_any_share() -> None:
    articles, faults = [*range(200), *[500] * 900], [0] * 200 + [1] * 900
    assert sum(draw_validation(articles, faults, None, 0)[:200]) == 30


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
    assert list(made.number_groups(dropped)) == connected(keys)
    own = [
        letters if fault else letters | {str(article)}
        for letters, article, fault in zip(keys, articles, faults, strict=True)
    ]
    united = [articles[first] for first in connected(own)]
    assert list(made.unite_articles(array("Q", articles), dropped)) == united


def test_a_group_has_the_id_of_its_first_example_and_one_alone_has_none() -> None:
    named = GroupNames(array("q", [0, 1, 0, 3, 3, 0]))
    shown = named.add_names((n, example(n)) for n in range(6))
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
    verdicts = judge_examples(
        finished(tmp_path, examples), (), validation=11, limit=None, seed=seed
    )
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
        verdicts = judge_examples(result, (), validation=0, limit=None, seed=0, banned=banned)
        assert list(verdicts.groups) == groups
