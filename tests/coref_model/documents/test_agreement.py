"""Names of spans, and links that agree with their clusters."""

from __future__ import annotations

import pytest

from corefmill.coref_model.documents.agreement import (
    MAN,
    NONE,
    THING,
    UNKNOWN,
    WOMAN,
    SpanName,
    Traits,
    choose_links,
    find_name,
    find_traits,
    join_links,
)


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ("Mr. Darcy", SpanName(("darcy",), MAN, True)),
        ("Mrs . Bennet 's", SpanName(("bennet",), WOMAN, True)),
        ("the old Tom Sawyer", SpanName(("tom", "sawyer"), MAN)),
        ("Maria", SpanName(("maria",), WOMAN)),
        ("Dr. Maria Lopez", SpanName(("maria", "lopez"), WOMAN)),
        ("the Bank of England", SpanName(("bank", "of", "england"), UNKNOWN)),
        ("the king of France", NONE),
        ("Ann and Eve", NONE),
        ("Ann Lee , a nurse", NONE),
        ("Ann 's dog", NONE),
        ("She", NONE),
        ("I", NONE),
        ("The", NONE),
        ("the", NONE),
        ("", NONE),
    ],
)
def test_the_name_of_a_span(span: str, name: SpanName) -> None:
    assert find_name(span.split()) == name


@pytest.mark.parametrize(
    ("clusters", "home"),
    [
        (("Ann; she", "Eve", "Ann; her"), [0, 1, 0]),
        (("Mr. Darcy", "Darcy; he"), [0, 0]),
        (("Mr. Bennet", "Mrs. Bennet"), [0, 1]),
        (("John Smith; John", "John Brown; John"), [0, 1]),
        (("John Smith; John", "John Brown; he", "John Brown; John"), [0, 1, 1]),
        (("the dog", "the dog"), [0, 1]),
        (("Ann Lee", "Ann Lee; Ann", "Ann"), [0, 0, 0]),
    ],
)
def test_clusters_that_share_a_name_are_one(clusters: tuple[str, ...], home: list[int]) -> None:
    spans = [(at, span) for at, own in enumerate(clusters) for span in own.split("; ")]
    own = [at for at, _ in spans]
    links = [n - 1 if n and own[n - 1] == own[n] else -1 for n in range(len(own))]
    names = [find_name(span.split()) for _, span in spans]
    found = join_links(links, [True] * len(links), names)
    assert found == [
        numbers
        for first in dict.fromkeys(home)
        if (numbers := [number for number, at in enumerate(own) if home[at] == first])
    ]


def test_links_join_and_a_span_alone_is_left_out_or_kept() -> None:
    links = [-1, 0, -1, 1, -1]
    assert join_links(links, [False] * 5, [NONE] * 5) == [[0, 1, 3]]
    assert join_links(links, [True, True, True, True, False], [NONE] * 5) == [[0, 1, 3], [2]]


def _traits(*sentences: str) -> list[Traits]:
    """Those of the spans in brackets, such as `[Ann] saw [her] .`"""
    forms, numbers, spans, opened = [], [], [], []
    for number, sentence in enumerate(sentences):
        for word in sentence.split():
            opened += [len(forms)] * word.count("[")
            closing = word.count("]")
            forms.append(word.strip("[]"))
            numbers.append(number)
            spans += [(opened.pop(), len(forms)) for _ in range(closing)]
    spans.sort()
    names = [find_name(forms[start:end]) for start, end in spans]
    return find_traits(spans, names, [True] * len(spans), forms, numbers)


@pytest.mark.parametrize(
    ("sentence", "barred"),
    [
        ("[She] smiled at [her] .", (0,)),
        ("[She] took [her] coat .", ()),
        ("[She] hurt [herself] .", ()),
        ("[She] smiled , and [[her] friend] saw [her] .", (2,)),
        ("[[Ann] 's friend] saw [her] .", (1,)),
        ("[Ann] said that everybody there knew [her] .", ()),
        ("[He] knows [him] .", (0,)),
    ],
)
def test_an_object_is_not_who_stands_right_before_it(
    sentence: str, barred: tuple[int, ...]
) -> None:
    assert _traits(sentence)[-1].barred == barred


def test_what_pronouns_titles_and_names_say() -> None:
    found = _traits("[He] met [Mrs. Lee] , [Ann] and [it]")
    assert [one.genders for one in found] == [{MAN}, {WOMAN}, set(), {THING}]
    assert [one.given for one in found] == [set(), set(), {WOMAN}, set()]
    assert [one.words for one in found] == [set(), {"lee"}, {"ann"}, set()]


def _links(scores: list[list[float]], *sentences: str) -> list[int]:
    rows = [row or [-float("inf")] for row in scores]
    antecedents = [list(range(len(row))) or [0] for row in scores]
    return choose_links(antecedents, rows, _traits(*sentences))[0]


def test_no_cluster_has_two_genders() -> None:
    text = "[Tom] left . [She] saw [him] and [he] ran"
    assert _links([[], [1.0], [2.0, 3.0], [0.0, 4.0, 3.0]], text) == [-1, -1, 0, 2]


def test_two_names_are_two_unless_the_score_is_high() -> None:
    text = "[Mei Tanaka] met [Lopez]"
    assert _links([[], [3.0]], text) == [-1, -1]
    assert _links([[], [9.0]], text) == [-1, 0]
    assert _links([[], [3.0]], "[Maria Lopez] met [Lopez]") == [-1, 0]


def test_having_no_antecedent_wins_a_tie_and_an_unlikely_link_is_none() -> None:
    traits = [Traits()] * 3
    antecedents, scores = [[0], [0], [0, 1]], [[-float("inf")], [0.0], [1.0, 1.0]]
    links, sure = choose_links(antecedents, scores, traits)
    assert links == [-1, -1, 1]
    assert sure == [0, 0, pytest.approx(2.71828 / (1 + 2 * 2.71828), rel=1e-4)]
    assert choose_links(antecedents, scores, traits, 0.5)[0] == [-1, -1, -1]
