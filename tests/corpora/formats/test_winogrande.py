"""WinoGrande as a table and as JSON lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import winogrande
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import DATA, lines_of_text, read, refused, rewritten, survives
from tests.corpora.generated import damaged

TABLE, LINES = winogrande.TABLE, winogrande.LINES
HEADER = "index\tsentence1\tsentence2\tlabel\tcandidate0\tcandidate1\n"
ITEM = (
    "4\tAda's oven beat Bo's, so Ada\t baked more.\t1\tAda\tBo\n"
    "4\tAda's oven beat Bo's, so Bo\t baked more.\t0\tAda\tBo\n"
)
LINE = (
    '{"qID": "Q-1", "sentence": "The cup broke, so _ was swept up.", '
    '"option1": "cup", "option2": "caf\\u00e9", "answer": "2"}\n'
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("winogrande") / "set.tsv"


def test_two_rows_are_an_item(path: Path) -> None:
    assert read(TABLE, path, HEADER + ITEM) == [
        MaskedExample(
            id="4",
            lang="en",
            text="Ada's oven beat Bo's, so _ baked more.",
            sentences=((0, 38),),
            target=(25, 26),
            candidates=("Ada", "Bo"),
            mentions=(),
            label=0,
            source=Source("", 0),
        )
    ]


def test_a_line_is_an_item(path: Path) -> None:
    (example,) = read(LINES, path, LINE)
    assert (example.id, example.answer) == ("Q-1", "café")
    assert example.masked_text == "The cup broke, so [MASK] was swept up."
    winogrande.write_lines(path, [example])
    assert path.read_text() == LINE


@pytest.mark.parametrize("answer", ["", ', "answer": ""'])
def test_an_item_without_answer_has_no_label(path: Path, answer: str) -> None:
    line = LINE.replace(', "answer": "2"', answer)
    (example,) = read(LINES, path, line)
    assert example.label is None
    winogrande.write_lines(path, [example])
    assert path.read_text() == line


def test_an_item_of_the_table_without_a_right_row_has_no_label(path: Path) -> None:
    content = HEADER + ITEM.replace("\t1\t", "\t0\t")
    (example,) = read(TABLE, path, content)
    assert example.label is None
    winogrande.write_table(path, [example])
    assert path.read_text() == content


@pytest.mark.parametrize("form", [TABLE, LINES])
def test_options_that_are_the_same_are_told_apart_and_written_as_they_were(
    path: Path, form: Format
) -> None:
    content = HEADER + ITEM.replace("so Bo", "so Ada").replace("\tBo\n", "\tAda\n")
    if form is LINES:
        content = LINE.replace("caf\\u00e9", "cup")
    (example,) = read(form, path, content)
    assert example.candidates[1] == f"{example.candidates[0]} (2)"
    assert form.write is not None
    form.write(path, [example])
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4\tAda's oven beat Bo's, so Bo", "5\tAda's oven beat Bo's, so Bo", "differ in index"),
        ("so Bo\t baked more.", "so Bo\t baked less.", "differ in sentence2"),
        ("0\tAda\tBo", "0\tAda\tCy", "differ in candidate1"),
        ("so Ada\t", "so Eve\t", "does not end in its candidate 'Ada'"),
        ("4\tAda's oven beat Bo's, so Bo", "4\tAda beat Bo's, so Bo", "differ before their cand"),
        ("\t0\t", "\t1\t", "the labels are '1' and '1'"),
        ("\t0\t", "\t\t", "the labels are '1' and ''"),
    ],
)
def test_an_item_that_breaks_a_rule_is_named(path: Path, old: str, new: str, message: str) -> None:
    error = refused(TABLE, path, HEADER + ITEM + ITEM.replace(old, new))
    assert error.line == 4
    assert message in error.message


def test_an_item_cut_in_half_is_named(path: Path) -> None:
    error = refused(TABLE, path, HEADER + ITEM + ITEM.partition("\n")[0] + "\n")
    assert (error.line, error.message) == (4, "the item's second row is missing")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("_", "it", "0 blanks in the sentence"),
        ("was", "_", "2 blanks in the sentence"),
        ('"2"', '"3"', "answer '3' is neither 1 nor 2"),
        ('"2"', "2", "a value is not a string"),
        ("qID", "id", "unknown key 'id'"),
        ('"qID": "Q-1", ', "", "no qID"),
        ("option2", "option1", "the key 'option1' comes twice"),
        ("{", "[{", "not JSON"),
        (LINE.strip(), "7", "not an object but 7"),
        (LINE.strip(), "", "not JSON"),
        ("caf", "\\ud800", "half a surrogate pair"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(path: Path, old: str, new: str, message: str) -> None:
    error = refused(LINES, path, LINE + LINE.replace(old, new))
    assert error.line == 2
    assert message in error.message


def carried(example: MaskedExample) -> MaskedExample:
    """What both forms keep of an example."""
    start, end = example.target
    text = example.text[:start] + "_" + example.text[end:]
    return replace(
        example,
        text=text,
        sentences=((0, len(text)),),
        target=(start, start + 1),
        mentions=(),
        source=Source("", 0),
    )


@pytest.mark.parametrize("form", [TABLE, LINES])
@settings(max_examples=40, deadline=None)
@given(examples=st.lists(lines_of_text(), max_size=3))
def test_what_is_written_is_read_the_same(
    path: Path, form: Format, examples: list[MaskedExample]
) -> None:
    assert form.write is not None
    assert form.write(path, examples) == len(examples)
    assert [example for _, example in form.read(path, "en")] == [*map(carried, examples)]


@pytest.mark.parametrize(("form", "whole"), [(TABLE, HEADER + ITEM * 2), (LINES, LINE * 2)])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damaged_bytes_give_examples_or_a_data_error(
    path: Path, form: Format, whole: str, data: st.DataObject
) -> None:
    survives(form, path, data.draw(damaged(whole.encode())))


def test_what_the_forms_cannot_carry_is_refused(path: Path) -> None:
    (example,) = read(LINES, path, LINE)
    three = replace(example, candidates=("a", "b", "c"))
    for write in (winogrande.write_table, winogrande.write_lines):
        with pytest.raises(DataError, match="example Q-1: it has 3 candidates"):
            write(path, [three])
    with pytest.raises(DataError, match="example Q-1: its text holds another _"):
        winogrande.write_lines(path, [replace(example, text=example.text.replace("cup", "c_p"))])


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs WinoGrande in {DATA}")
@pytest.mark.parametrize(("name", "items"), [("xs", 160), ("s", 640), ("m", 2558)])
def test_the_released_tables(path: Path, name: str, items: int) -> None:
    source = DATA / "winograd" / "winogrande" / f"train_{name}.tsv"
    examples = rewritten(TABLE, source, path)
    assert Counter(example.label for example in examples) == {0: items // 2, 1: items // 2}
    assert all(example.text.count("_") == 1 for example in examples)
    assert winogrande.write_lines(path, examples) == items
    assert [example for _, example in winogrande.read_lines(path)] == examples
