"""WNLI: the pronoun is where the hypothesis leaves the premise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import wnli
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import read, refused, survives
from tests.corpora.generated import damaged

FORMAT = wnli.FORMAT
HEADER = "index\tsentence1\tsentence2\tlabel\n"
ROW = "0\tThe cup hit the jar, and it broke.\tThe jar broke.\t1\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wnli") / "set.tsv"


def test_the_hypothesis_names_a_candidate_for_the_word_that_it_replaces(path: Path) -> None:
    assert read(FORMAT, path, HEADER + ROW) == [
        MaskedExample(
            id="0",
            lang="en",
            text="The cup hit the jar, and it broke.",
            sentences=((0, 34),),
            target=(25, 27),
            candidates=("The jar", "it"),
            mentions=(),
            label=0,
            source=Source("", 0),
            meta={"hypothesis": "The jar broke."},
        )
    ]


def test_a_wrong_hypothesis_leaves_the_pronoun_as_the_right_candidate(path: Path) -> None:
    (example,) = read(FORMAT, path, HEADER + ROW.replace("\t1\n", "\t0\n"))
    assert example.answer == "it"


def test_the_test_set_has_no_labels(path: Path) -> None:
    content = HEADER.replace("\tlabel", "") + ROW.replace("\t1\n", "\n")
    (example,) = read(FORMAT, path, content)
    assert example.label is None
    wnli.write(path, [example])
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("premise", "hypothesis", "target", "candidate"),
    [
        ("It fell.", "The cup fell.", "It", "The cup"),
        ("Ann took his cup! He cried.", "Ann took Bo's cup.", "his", "Bo's"),
        ("Ann's dog ate, so she paid.", "Ann paid.", "she", "Ann"),
        # A comma is a full stop, but `jar broke` for `jar` replaces no pronoun.
        ("He hit the jar, and it broke.", "The jar broke.", "it", "The jar"),
        # No pronoun: the shortest run, `Rome` for `Bonn`, and of two places the last.
        ("In Bonn, now in Bonn.", "In Rome.", "Bonn", "Rome"),
        ("He ran and she ran.", "Bo ran.", "she", "Bo"),
        ("Nobody came.", "It rained on us all day long.", None, None),
        ("One word.", "One", None, None),
    ],
)
def test_the_shortest_run_is_taken(
    premise: str, hypothesis: str, target: str | None, candidate: str | None
) -> None:
    found = wnli.aligned(premise, hypothesis)
    if found is None:
        assert target is candidate is None
    else:
        assert premise[slice(*found[0])] == target
        assert found[0][0] == premise.rindex(str(target))
        assert hypothesis[slice(*found[1])] == candidate


def test_an_item_that_does_not_align_is_kept_whole(path: Path) -> None:
    row = "5\tIt rained.\tThere was a great deal of snow in Rome.\t0\n"
    (example,) = read(FORMAT, path, HEADER + row)
    assert example.meta == {
        "hypothesis": "There was a great deal of snow in Rome.",
        "aligned": False,
    }
    assert (example.target, example.answer) == ((0, 10), "It rained.")
    wnli.write(path, [example])
    assert path.read_text() == HEADER + row


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t1\n", "\t2\n", "label '2' is neither 0 nor 1"),
        ("\t1\n", "\t\n", "label '' is neither"),
        ("The jar broke.", " ", "a sentence is empty"),
        ("The cup hit the jar, and it broke.", "", "a sentence is empty"),
        ("\t1\n", "\n", "3 columns where the header has 4"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(path: Path, old: str, new: str, message: str) -> None:
    error = refused(FORMAT, path, HEADER + ROW + ROW.replace(old, new))
    assert error.line == 3
    assert message in error.message


sentences = st.lists(
    st.sampled_from(["it", "the jar", "Bo's", "broke", ",", "שלום", "\u2028", "n't", "?"]),
    min_size=1,
).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(sentences, sentences), max_size=3),
    label=st.sampled_from(["", "\t0", "\t1"]),
)
def test_what_is_written_is_read_the_same(
    path: Path, rows: list[tuple[str, str]], label: str
) -> None:
    rows = [row for row in rows if all(map(str.strip, row))]
    content = (HEADER if label or not rows else HEADER.replace("\tlabel", "")) + "".join(
        f"{number}\t{premise}\t{hypothesis}{label}\n"
        for number, (premise, hypothesis) in enumerate(rows)
    )
    examples = read(FORMAT, path, content)
    assert wnli.write(path, examples) == len(rows)
    assert path.read_bytes() == content.encode()
    assert [example for _, example in wnli.read(path)] == examples


@settings(max_examples=60, deadline=None)
@given(content=damaged((HEADER + ROW * 2).encode()))
def test_damaged_bytes_give_examples_or_a_data_error(path: Path, content: bytes) -> None:
    survives(FORMAT, path, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"meta": {}}, "its meta has no hypothesis"),
        ({"label": None}, "some have a label and some have none"),
        ({"target": (8, 11)}, "its hypothesis says another target"),
        ({"meta": {"hypothesis": " "}}, "a sentence is empty"),
    ],
)
def test_what_is_no_item_of_wnli_is_refused(
    path: Path, change: dict[str, object], message: str
) -> None:
    (example,) = read(FORMAT, path, HEADER + ROW)
    with pytest.raises(DataError, match=f"example 0: {message}"):
        wnli.write(path, [example, replace(example, **change)])  # type: ignore[arg-type]
