"""What a card counts of masked examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.corpus import card
from corefmill.builders.corpus.survey import (
    LENGTHS_PICTURE,
    MaskedSurvey,
    Shares,
    draw_lengths,
    format_passage,
    make_sections,
)
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import MaskedExample, Source
from tests.builders.corpus.finished import example, mill


class Cats:
    """A tally of passages with a cat in them."""

    name = "cats"

    def __init__(self) -> None:
        self._seen = 0

    def watch(self, example: MaskedExample) -> None:
        self._seen += "cat" in example.text

    def counts(self) -> dict[str, int]:
        return {"cat": self._seen}

    def section(self) -> list[str]:
        return ["## Cats", "", f"{self._seen} cats"]


def surveyed(examples: list[MaskedExample], seed: int = 0) -> MaskedSurvey:
    survey = MaskedSurvey((Cats(),), seed)
    assert list(survey.watch(examples)) == examples
    return survey


def written(
    out: Path, examples: list[MaskedExample], warnings: Sequence[str] = (), **more: Any
) -> str:
    """The card of a corpus of these examples."""
    survey = surveyed(examples)
    lines = make_sections(
        survey,
        splits={"train": 3, "validation": 1},
        rejects={"draft": {"quoted": 2, "length": 30, "styled": 2}},
    )
    card.write_card(mill(out, **more), lines, warnings, schema="masked-example/1", splits={})
    draw_lengths(survey.lengths, out / LENGTHS_PICTURE)
    return (out / "README.md").read_text("utf-8")


def test_mentions_are_bold_whatever_their_order_and_the_mask_is_shown() -> None:
    shown = "**Ann** met **Bob**. `[MASK]` left 7."
    assert format_passage(example(7)) == shown
    assert format_passage(replace(example(7), mentions=((1, 8, 11), (0, 0, 3)))) == shown
    assert format_passage(replace(example(7), mentions=())) == shown.replace("*", "")


def test_the_survey_counts_what_passes() -> None:
    pair = example(1, article=4, rule="b")
    single = replace(example(2, article=4, rule="a"), sentences=((0, 22),))
    three = replace(
        example(3, article=5, text="Ann met Bob. Ann left a cat."), candidates=("Ann", "Bob", "Cy")
    )
    assert surveyed([pair, single, three]).counts() == {
        "examples": 3,
        "articles_with_examples": 2,
        "rule": {"a": 1, "b": 1},
        "candidates": {"2": 2, "3": 1},
        "sentences_per_passage": {"1": 1, "2": 2},
        "tokens_per_passage": {"min": 6, "q1": 6, "median": 6, "q3": 7, "max": 7},
        "sharing_a_sentence": {"examples": 0, "groups": 0},
        "shares": {
            "sources": {"different": 2, "examples_of_the_largest": 3},
            "answers": {"different": 1, "examples_of_the_largest": 3},
        },
        "cats": {"cat": 1},
    }  # fmt: skip


def test_examples_that_share_a_sentence_are_counted_by_their_groups(tmp_path: Path) -> None:
    # The fourth is all that is left of its group.
    groups = ["e1", "e1", None, "e3", "e4", "e4", "e4"]
    examples = [
        example(n, **({"group": group} if group else {})) for n, group in enumerate(groups, 1)
    ]
    assert surveyed(examples).counts()["sharing_a_sentence"] == {"examples": 5, "groups": 2}
    card = written(tmp_path, examples)
    assert "5 of 7 examples share a sentence with another, in 2 groups" in card


def test_samples_are_drawn_by_seed_and_id_not_by_order() -> None:
    examples = [example(number) for number in range(60)]
    there, back = surveyed(examples).samples, surveyed(examples[::-1]).samples
    assert there == back
    assert len({sample.id for sample in there}) == len(there) == 3
    assert surveyed(examples, seed=1).samples != there


def test_the_card_has_all_its_parts(tmp_path: Path) -> None:
    text = written(tmp_path, [example(1, rule="a"), example(2, rule="b")], warnings=["Too few."])
    for line in (
        "# Mill names",
        "## Cats",
        "## 2 examples drawn at random",
        "**Warning:** Too few.",
        "| Language | en |",
        "| validation | 1 |",
        "- **Ann** met **Bob**. `[MASK]` left 1.  ",
        "  Candidates: **Ann**, Bob. *Article 1*",
        "- Mills differ.",
        "build mill --lang en",
    ):
        assert line in text.split("\n")
    # The commonest reason first, equals by name.
    reasons = re.findall(r"^\| draft \| (length|quoted|styled) ", text, re.MULTILINE)
    assert reasons == ["length", "quoted", "styled"]
    assert (tmp_path / "lengths.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("drawn_anew")
def test_equal_corpora_have_equal_cards_and_pictures(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        written(folder, [example(number) for number in range(30)])
    for name in ("README.md", "lengths.png"):
        one, two = ((folder / name).read_bytes() for folder in folders)
        assert one == two


def test_text_cannot_mark_up_the_card(tmp_path: Path) -> None:
    """A novel's "_Ann_" stood in italics, and a line break could begin a heading."""
    text = "Ann met Bob. Ann left *one* `two` [three](x) <b>four</b> _five_ 6\\ | 7.\n# Eight"
    record = replace(example(1, text=text), source=Source("A*b_c", 1, 0), candidates=("A*", "_b_"))
    lines = written(tmp_path, [record]).split("\n")
    start = lines.index("## 1 examples drawn at random") + 2
    assert lines[start : start + 3] == [
        r"- **Ann** met **Bob**. `[MASK]` left \*one\* \`two\` \[three\](x)"
        r" \<b\>four\</b\> \_five\_ 6\\ | 7. # Eight  ",
        r"  Candidates: **A\***, \_b\_. *A\*b\_c*",
        "",
    ]


def shares(tmp_path: Path, *splits: list[MaskedExample]) -> Shares:
    made, files = Shares(), [tmp_path / f"{number}.jsonl" for number in range(len(splits))]
    for path, examples in zip(files, splits, strict=True):
        jsonl.write(path, examples)
        for one in examples:
            made.watch(one)
    made.read_names(files)
    return made


def test_the_largest_sources_and_commonest_answers_are_named(tmp_path: Path) -> None:
    # Of twelve articles the last has four examples, and the second, in another file, two.
    first = [example(n, article=n) for n in range(12)]
    bobs = [replace(example(n, article=11), label=1) for n in range(20, 23)]
    made = shares(tmp_path, first, [*bobs, example(30, article=1)])
    assert made.counts() == {
        "sources": {"different": 12, "examples_of_the_largest": 14},
        "answers": {"different": 2, "examples_of_the_largest": 16},
    }
    card = "\n".join(made.section())
    assert "| sources | 12 | Article 11 | 4 | 25.0% |" in card
    assert "| answers | 2 | Ann | 13 | 81.2% |" in card
