"""What is drawn of a passage, a source and a gender."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from corefmill.builders.corpus.masked import NO_BOUNDS, REASONS, Bounds, ExampleVerdicts, judge
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example, finished


def alone(number: int, article: int = 1, **meta: str) -> MaskedExample:
    """An example that shares no sentence."""
    made = example(number, article=article, **meta)
    return replace(made, sentences=((0, len(made.text)),))


def drawn(
    tmp_path: Path,
    examples: list[MaskedExample],
    bounds: Bounds,
    *,
    seed: int = 0,
    limit: int | None = None,
) -> tuple[ExampleVerdicts, list[MaskedExample]]:
    out = tmp_path / f"{seed}-{limit}-{len(list(tmp_path.iterdir()))}"
    result = finished(out, examples)
    verdicts = judge(result, (), validation=0, limit=limit, seed=seed, bounds=bounds)
    kept = [one for one, fault in zip(examples, verdicts.faults, strict=True) if not fault]
    return verdicts, kept


def test_no_bounds_leave_the_work_what_it_was() -> None:
    assert (NO_BOUNDS.as_json(), NO_BOUNDS.described) == ({}, {})
    bounds = Bounds(one_per_passage=True, per_source=1000, balance="gender")
    assert bounds.as_json()["bounds"]["per_source"] == 1000
    assert "1,000 of one source" in bounds.described["Drawn"]


def test_one_of_a_passage_is_drawn_and_not_always_the_first(tmp_path: Path) -> None:
    # Three share their first sentence, one stands alone.
    examples = [*(example(n) for n in range(3)), alone(9)]
    kept = set()
    for seed in range(8):
        verdicts, left = drawn(tmp_path, examples, Bounds(one_per_passage=True), seed=seed)
        assert verdicts.rejected() == {"shared_sentence": 2}
        assert left[-1].id == "e9"
        assert Counter(verdicts.groups) == Counter(range(4))
        kept.add(left[0].id)
    assert kept == {"e0", "e1", "e2"}


def test_a_source_gives_no_more_than_its_share_drawn_over_all_of_it(tmp_path: Path) -> None:
    examples = [alone(n, n // 20) for n in range(60)] + [alone(99, 9)]
    verdicts, kept = drawn(tmp_path, examples, Bounds(per_source=4))
    assert Counter(one.source.page_id for one in kept) == {0: 4, 1: 4, 2: 4, 9: 1}
    assert verdicts.rejected() == {"over_per_source": 48}
    assert [one.id for one in kept[:4]] != ["e0", "e1", "e2", "e3"]
    # The same examples in another order, or with others before them, are drawn.
    _, back = drawn(tmp_path, [alone(200, 7), *examples[::-1]], Bounds(per_source=4))
    assert {one.id for one in back} == {one.id for one in kept} | {"e200"}
    assert drawn(tmp_path, examples, Bounds(per_source=4), seed=1)[1] != kept


def genders(examples: list[MaskedExample]) -> Counter[str]:
    return Counter(one.meta.get("gender", "") for one in examples)


def test_both_genders_have_as_many_and_the_unknown_their_share(tmp_path: Path) -> None:
    known = [alone(n, gender="female" if n < 10 else "male") for n in range(50)]
    examples = [*known, *(alone(n) for n in range(100, 125))]
    verdicts, kept = drawn(tmp_path, examples, Bounds(balance="gender"))
    # Of 50 of known gender 20 are left, so of 25 others 10 are.
    assert genders(kept) == {"female": 10, "male": 10, "": 10}
    assert verdicts.rejected() == {"over_balance": 45}


def test_where_no_gender_is_known_all_stay(tmp_path: Path) -> None:
    examples = [alone(n) for n in range(5)]
    assert drawn(tmp_path, examples, Bounds(balance="gender"))[1] == examples


def test_bounds_come_before_the_limit_and_the_source_before_the_balance(tmp_path: Path) -> None:
    women = [alone(n, 1, gender="female") for n in range(6)]
    men = [alone(n, 2, gender="male") for n in range(10, 14)]
    bounds = Bounds(per_source=3, balance="gender")
    verdicts, kept = drawn(tmp_path, [*women, *men], bounds, limit=5)
    assert genders(kept) == {"female": 3, "male": 2}
    faults = Counter(REASONS[fault] for fault in verdicts.faults)
    assert faults == {"": 5, "over_per_source": 4, "over_limit": 1}
