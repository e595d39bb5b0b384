"""The five-line form: five physical lines an example, and an error where the stride breaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import five_line, registry
from corefmill.corpora.records import MaskedExample
from tests.corpora.formats.trials import DATA, read, refused, write
from tests.corpora.generated import named_examples
from tests.corpora.test_records import EXAMPLE

FORM, DPR = five_line.FORMAT, five_line.PRONOUNS
SHARED = DATA / "winograd"
PRONOUN = "Anna thanked Bob because he had helped her.\nhe\nAnna,Bob\nBob\n\n"
MASKED = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


def ascii_only(path: Path, example: MaskedExample) -> str:
    five_line.write(path, [example], ascii_only=True)
    return path.read_text("utf-8")


def test_an_example_is_five_lines(path: Path) -> None:
    assert write(FORM, path, EXAMPLE) == MASKED


def test_a_pronoun_is_blanked_where_it_first_is_a_word_of_its_own(path: Path) -> None:
    example = read(FORM, path, PRONOUN)[0]
    # Not the "he" in "thanked" or "helped".
    assert example.masked_text == "Anna thanked Bob because [MASK] had helped her."
    assert example.answer == "Bob"


def test_the_last_empty_line_may_be_missing(path: Path) -> None:
    whole = read(FORM, path, PRONOUN * 2)
    assert read(FORM, path, (PRONOUN * 2)[:-1]) == whole
    assert read(FORM, path, (PRONOUN * 2)[:-2]) == whole


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (PRONOUN + "\n" + PRONOUN, 10, "expected after four, here stands 'Bob'"),
        (PRONOUN[:-1] + PRONOUN, 5, "an empty line was expected after four, here stands 'Anna th"),
        (PRONOUN + "Anna left.\n[MASK]\nAnna,Bob\n", 8, "too few lines"),
        (PRONOUN.replace(" he ", " she "), 2, "'he' does not stand in the passage"),
        (PRONOUN.replace("Anna,Bob", "Anna,,Bob"), 3, "or one is empty"),
        (PRONOUN.replace("Anna,Bob", "Bob"), 3, "candidates 'Bob': fewer than two"),
        (PRONOUN.replace("Anna,Bob", "Bob,Bob"), 3, "or named twice"),
        (PRONOUN.replace("\nBob\n", "\nSam\n"), 4, "answer 'Sam' is not a candidate"),
        (PRONOUN.encode().replace(b",", b"\xff"), 3, "not UTF-8"),
    ],
)
def test_a_block_that_breaks_the_form_is_named(
    path: Path, content: str | bytes, line: int, message: str
) -> None:
    error = refused(FORM, path, content)
    assert error.line == line
    assert message in error.message


@settings(max_examples=30, deadline=None)
@given(examples=st.lists(named_examples(), min_size=1, max_size=3))
def test_what_is_written_is_read_and_written_again_the_same(
    path: Path, examples: list[MaskedExample]
) -> None:
    examples = [example for example in examples if "\0" not in example.text]
    assert five_line.write(path, examples) == len(examples)
    first = path.read_bytes()
    assert first.count(b"\n") == 5 * len(examples)
    back = [example for _, example in five_line.read(path)]
    assert five_line.write(path, back) == len(examples)
    assert path.read_bytes() == first
    for example, again in zip(examples, back, strict=True):
        assert again.answer == example.answer
        assert again.candidates == example.candidates
        start, end = example.target
        # Blanks part tokens that the text may not part, but nothing else changes.
        assert "".join(again.text[: again.target[0]].split()) == _solid(example.text[:start])
        assert "".join(again.text[again.target[1] :].split()) == _solid(example.text[end:])


def _solid(text: str) -> str:
    return "".join(text.split())


def test_tokens_are_joined_by_blanks(path: Path) -> None:
    spans = [(0, 4), (5, 8), (9, 12), (12, 13), (14, 18), (19, 23), (23, 24)]
    example = replace(EXAMPLE, meta={"tokens": spans})
    assert write(FORM, path, example).splitlines()[0] == "Anna met Bob . [MASK] left ."


def test_ascii_only_deletes_all_else(path: Path) -> None:
    example = replace(
        EXAMPLE, text="Zoë met – Bob. Zoë left.", target=(15, 18), candidates=("Zoë", "Bob")
    )
    assert ascii_only(path, replace(example, mentions=())) == (
        "Zo met Bob. [MASK] left.\n[MASK]\nZo,Bob\nZo\n\n"
    )
    assert "Zoë,Bob" in write(FORM, path, replace(example, mentions=()))


def test_pairs_give_one_block_a_wrong_candidate_with_the_right_one_first(path: Path) -> None:
    example = replace(EXAMPLE, candidates=("Bob", "Anna", "Sam"), mentions=(), label=1)
    assert five_line.write(path, [example], pairs=True) == 2
    assert [block.candidates for _, block in five_line.read(path)] == [
        ("Anna", "Bob"),
        ("Anna", "Sam"),
    ]
    assert [block.answer for _, block in five_line.read(path)] == ["Anna", "Anna"]
    assert five_line.write(path, [example]) == 1


@pytest.mark.parametrize(
    ("example", "message"),
    [
        (replace(EXAMPLE, label=None), "example 1 has no label"),
        (replace(EXAMPLE, candidates=("Anna", "Bob, Jr.")), "is empty or holds a comma"),
        (replace(EXAMPLE, candidates=("Anna", " ")), "is empty or holds a comma"),
        (replace(EXAMPLE, candidates=("Anna Lee", "Anna\nLee")), "two candidates look the same"),
        # The reader would have blanked the first mask.
        (
            replace(EXAMPLE, text="[MASK] is BERT's. Anna left.", target=(18, 22), mentions=()),
            r"example 1: the text holds \[MASK\]",
        ),
        (
            replace(EXAMPLE, meta={"tokens": [[0, 4], [5, 8], [9, 13], [14, 24]]}),
            "the target splits a token",
        ),
        (
            replace(EXAMPLE, meta={"tokens": ["Anna"]}),
            r"example 1: meta\.tokens is not a list of spans",
        ),
    ],
)
def test_an_example_that_the_form_cannot_carry_is_refused(
    tmp_path: Path, example: MaskedExample, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        five_line.write(tmp_path / "set.txt", [EXAMPLE, example])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"needs the DPR files in {SHARED}")
def test_the_published_file_is_read_whole(path: Path) -> None:
    name, count = "dpr_dev_small.txt", 131
    examples = [example for _, example in five_line.read(SHARED / name)]
    assert len(examples) == count
    assert five_line.write_pronouns(path, examples) == count
    assert [replace(example, id="") for _, example in five_line.read(path)] == [
        replace(example, id="") for example in examples
    ]
    assert registry.detect_format(path).name == "dpr"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": (39, 42)}, None),
        ({"text": "Anna thanked\nBob because he had helped her."}, "is more than a bare line"),
        (
            {"text": "Anna says he thinks he had helped her today", "target": (20, 22)},
            "is not the first 'he'",
        ),
        ({"label": None}, "has no label"),
    ],
)
def test_the_form_of_dpr_needs_the_first_pronoun_of_a_line(
    path: Path, change: dict[str, object], message: str | None
) -> None:
    example = replace(read(FORM, path, PRONOUN)[0], **change)  # type: ignore[arg-type]
    if message is None:
        five_line.write_pronouns(path, [example])
        assert [example for _, example in five_line.read(path)] == [example]
    else:
        with pytest.raises(DataError, match=message):
            five_line.write_pronouns(path, [example])
