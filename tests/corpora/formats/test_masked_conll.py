"""CoNLL-2012 of masked examples: brackets that scorers read, and the record whole beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import masked_conll
from corefmill.corpora.records import MaskedExample
from tests.corpora.formats.trials import DATA, refused, write
from tests.corpora.generated import masked_examples
from tests.corpora.test_records import EXAMPLE

FORM = masked_conll.FORMAT
SHARED = DATA / "winograd"


def rows(content: str) -> list[list[str]]:
    lines = content.split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def column(path: Path, number: int, **change: Any) -> list[str]:
    return [row[number] for row in rows(write(FORM, path, replace(EXAMPLE, **change)))]


def test_a_document_an_example_and_a_cluster_a_candidate(path: Path) -> None:
    begin, comment, *lines = write(FORM, path, EXAMPLE).split("\n")
    assert begin == "#begin document (1); part 000"
    assert comment.startswith('# masked {"id":"1","lang":"en","text":"Anna met Bob. Anna left."')
    blank = "\t".join("------*")
    assert lines == [
        f"1\t0\t0\tAnna\t{blank}\t(0)",
        f"1\t0\t1\tmet\t{blank}\t-",
        f"1\t0\t2\tBob\t{blank}\t(1)",
        f"1\t0\t3\t.\t{blank}\t-",
        "",
        f"1\t0\t0\tAnna\t{blank}\t(0)",
        f"1\t0\t1\tleft\t{blank}\t-",
        f"1\t0\t2\t.\t{blank}\t-",
        "",
        "#end document",
        "",
    ]


def test_a_target_without_a_label_is_a_cluster_of_its_own(path: Path) -> None:
    assert column(path, -1, label=None) == ["(0)", "-", "(1)", "-", "(2)", "-", "-"]


@settings(max_examples=40, deadline=None)
@given(examples=st.lists(masked_examples(), max_size=3))
def test_reads_what_it_wrote(path: Path, examples: list[MaskedExample]) -> None:
    assert masked_conll.write(path, examples) == len(examples)
    assert [example for _, example in masked_conll.read(path)] == examples


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mentions": ((0, 0, 4), (0, 0, 4))}, r"\[0, 4\) is named twice"),
        ({"mentions": ((0, 0, 8), (0, 5, 12))}, r"\[5, 12\) crosses another mention of its entity"),
        ({"mentions": ((1, 9, 18),)}, r"\[9, 18\) reaches over the end of a sentence"),
        ({"meta": {"tokens": [[0, 3], [3, 8], [9, 12], [14, 18]]}}, r"\[0, 4\) splits a token"),
        ({"meta": {"tokens": [[0, 4], [9, 12], [14, 99]]}}, r"meta\.tokens reaches beyond"),
    ],
)
def test_mentions_that_brackets_cannot_carry_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """Such mentions were written silently, and scorers read other ones."""
    with pytest.raises(DataError, match=f"example 1: .*{message}") as caught:
        masked_conll.write(tmp_path / "set.conll", [EXAMPLE, replace(EXAMPLE, **change)])
    assert caught.value.path == str(tmp_path / "set.conll")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\nb", "# masked {}", ""])
def test_an_id_with_white_space_or_a_keyword_is_read_back(path: Path, name: str) -> None:
    """A line feed in an id broke the file, and "# masked" in one was read as the record."""
    example = replace(EXAMPLE, id=name)
    assert all(len(row) == 12 for row in rows(write(FORM, path, EXAMPLE, example)))
    assert [example for _, example in masked_conll.read(path)] == [EXAMPLE, example]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\tBob\t", "\tRob\t", 5, "the columns do not agree"),
        ('"target":[14,18]', '"target":[19,23]', 8, "the columns do not agree"),
        ("\n\n#end", "\n#end", 11, "the document ends too early"),
        ("(1); part", "(2); part", 2, "the document's name is not that"),
        ("#end document\n", "", 11, "cut off within a document"),
        ('"mentions":[', '"mentions":[[0,0,4],', 2, "is named twice"),
        # A second record in a document does not replace the first.
        ("1\t0\t1\tmet", "# masked {}\n1\t0\t1\tmet", 4, "the columns do not agree"),
    ],
)
def test_columns_that_contradict_the_comment_are_named(
    path: Path, old: str, new: str, line: int, message: str
) -> None:
    content = write(FORM, path, EXAMPLE)
    assert content.count(old) == 1
    error = refused(FORM, path, content.replace(old, new))
    assert error.line == line
    assert message in error.message
