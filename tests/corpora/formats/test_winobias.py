"""WinoBias' lines: the right candidate in brackets, the wrong one by its occupation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import winobias
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, survives
from tests.corpora.generated import damaged

FORMAT = winobias.FORMAT
LINE = "3 The cook told [the baker] that [she] burnt [her] bread.\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("winobias") / "set.txt"


def test_the_first_pronoun_is_the_target_and_the_rest_are_mentions(path: Path) -> None:
    assert read(FORMAT, path, LINE) == [
        MaskedExample(
            id="3",
            lang="en",
            text="The cook told the baker that she burnt her bread.",
            sentences=((0, 49),),
            target=(29, 32),
            candidates=("The cook", "the baker"),
            mentions=((0, 0, 8), (1, 14, 23), (1, 39, 42)),
            label=1,
            source=Source("", 0),
        )
    ]


def test_the_wrong_candidate_is_the_first_other_occupation(path: Path) -> None:
    line = "1 [The cook] respects a CEO because [he] knows the CEO well.\n"
    (example,) = read(FORMAT, path, line)
    assert (example.candidates, example.label) == (("The cook", "a CEO"), 0)
    assert example.mentions == ((0, 0, 8), (1, 18, 23))


def test_blanks_within_brackets_are_not_the_candidates(path: Path) -> None:
    line = "1 The cook met the [ baker] and greeted [him].\n"
    (example,) = read(FORMAT, path, line)
    assert example.candidates == ("The cook", "baker")
    assert example.meta == {"line": line.rstrip()}
    winobias.write(path, [example])
    assert path.read_text() == line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3 ", "", "no number, blank and sentence"),
        ("3 ", "x ", "no number, blank and sentence"),
        (LINE.strip(), "", "no number, blank and sentence"),
        ("[she]", "[she", "the brackets do not pair"),
        ("[she]", "she]", "the brackets do not pair"),
        ("[she]", "[[she]]", "the brackets do not pair"),
        ("[she]", "[]", "the brackets do not pair"),
        ("[she]", "[ ]", "empty or outside"),
        ("[she] burnt [her]", "she burnt her", "1 pairs of brackets"),
        ("The cook", "The king", "no occupation outside the brackets"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(path: Path, old: str, new: str, message: str) -> None:
    error = refused(FORMAT, path, LINE + LINE.replace(old, new))
    assert error.line == 2
    assert message in error.message


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.builds(
            "{} {}{} {}{}, {}\u2028[{}]{}.".format,
            st.integers(0, 999),
            st.sampled_from(["", "Today "]),
            st.sampled_from(["[the cook]", "[Zoë]", "[construction worker]"]),
            st.sampled_from(["met ", "שלום "]),
            st.sampled_from(["the CEO", "a farmer", "Clerk"]),
            st.sampled_from(["", "whom "]),
            st.sampled_from(["he", "Her", "👩\u200d🚀"]),
            st.sampled_from(["", " liked [him]", " saw the nurse"]),
        ),
        max_size=3,
    )
)
def test_what_is_written_is_read_the_same(path: Path, lines: list[str]) -> None:
    content = "".join(f"{line}\n" for line in lines)
    examples = read(FORMAT, path, content)
    assert winobias.write(path, examples) == len(lines)
    assert path.read_bytes() == content.encode()
    assert not any(example.meta for example in examples)


@settings(max_examples=60, deadline=None)
@given(content=damaged((LINE * 2).encode()))
def test_damaged_bytes_give_examples_or_a_data_error(path: Path, content: bytes) -> None:
    survives(FORMAT, path, content)


def test_an_id_that_is_no_number_becomes_the_lines(path: Path) -> None:
    (example,) = read(FORMAT, path, LINE)
    winobias.write(path, [replace(example, id="a"), replace(example, id="b")])
    assert [example.id for _, example in winobias.read(path)] == ["1", "2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None}, "1 pairs of brackets"),
        ({"label": 0}, "it would be read with another mentions"),
        ({"candidates": ("Cy", "the baker")}, "it would be read with another candidates"),
        ({"mentions": ((0, 0, 8), (1, 39, 42))}, "it would be read with another"),
        ({"text": "The king told the baker that she burnt her bread."}, "no occupation outside"),
    ],
)
def test_what_the_lines_cannot_carry_is_refused(
    path: Path, change: dict[str, object], message: str
) -> None:
    (example,) = read(FORMAT, path, LINE)
    with pytest.raises(DataError, match=f"example 3: {message}"):
        winobias.write(path, [replace(example, **change)])  # type: ignore[arg-type]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs WinoBias in {DATA}")
@pytest.mark.parametrize("kind", ["pro", "anti"])
@pytest.mark.parametrize(
    ("number", "labels", "pronouns"), [(1, {0: 198, 1: 198}, 9), (2, {1: 396}, 6)]
)
def test_the_released_files(
    path: Path, kind: str, number: int, labels: dict[int, int], pronouns: int
) -> None:
    name = f"{kind}_stereotyped_type{number}.txt.dev"
    examples = rewritten(FORMAT, DATA / "winograd" / "winobias" / name, path)
    assert Counter(example.label for example in examples) == labels
    assert sum(len(example.mentions) > 2 for example in examples) == pronouns
    # Two lines that follow each other are about the same two, which the reader does not use.
    for one, other in zip(examples[::2], examples[1::2], strict=True):
        assert bare(one) == bare(other)


def bare(example: MaskedExample) -> set[str]:
    return {name.casefold().removeprefix("the ") for name in example.candidates}
