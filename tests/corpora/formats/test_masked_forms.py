"""Forms of masked examples: five lines, CoNLL-2012, and lm-evaluation-harness."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import five_line, lm_eval, masked_conll, registry
from corefmill.corpora.formats.form import masked_example
from corefmill.corpora.records import MaskedExample
from tests.corpora.formats.trials import DATA, read, refused, write
from tests.corpora.generated import masked_examples, named_examples
from tests.corpora.test_records import EXAMPLE

FORM, DPR = five_line.FORMAT, five_line.PRONOUNS
SHARED = DATA / "winograd"
PRONOUN = "Anna thanked Bob because he had helped her.\nhe\nAnna,Bob\nBob\n\n"
LATER = "Anna says he thinks he had helped her today"
MASKED = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


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
        (PRONOUN + "Anna left.\n[MASK]\nAnna,Bob\n", 8, "fewer than four lines"),
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
    five_line.write(path, [replace(example, mentions=())], ascii_only=True)
    assert path.read_text("utf-8") == ("Zo met Bob. [MASK] left.\n[MASK]\nZo,Bob\nZo\n\n")
    assert write(FORM, path, replace(example, mentions=())) == (
        "Zoë met – Bob. [MASK] left.\n[MASK]\nZoë,Bob\nZoë\n\n"
    )


def test_pairs_give_one_block_a_wrong_candidate_with_the_right_one_first(path: Path) -> None:
    example = replace(EXAMPLE, candidates=("Bob", "Anna", "Sam"), mentions=(), label=1)
    assert five_line.write(path, [example], pairs=True) == 2
    found = [(*block.candidates, block.answer) for _, block in five_line.read(path)]
    assert found == [("Anna", "Bob", "Anna"), ("Anna", "Sam", "Anna")]
    assert five_line.write(path, [example]) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None}, "example 1 has no label"),
        ({"candidates": ("Anna", "Bob, Jr.")}, "is empty or holds a comma"),
        ({"candidates": ("Anna", " ")}, "is empty or holds a comma"),
        ({"candidates": ("Anna Lee", "Anna\nLee")}, "two candidates look the same"),
        # The reader would have blanked the first mask.
        (
            {"text": "[MASK] is BERT's. Anna left.", "target": (18, 22), "mentions": ()},
            r"example 1: the text holds \[MASK\]",
        ),
        ({"meta": {"tokens": [[0, 4], [5, 8], [9, 13], [14, 24]]}}, "the target splits a token"),
        ({"meta": {"tokens": ["Anna"]}}, r"example 1: meta\.tokens is not a list of spans"),
    ],
)
def test_an_example_that_the_form_cannot_carry_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        five_line.write(tmp_path / "set.txt", [EXAMPLE, replace(EXAMPLE, **change)])
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
        ({"text": "Anna thanked\nBob because he had helped her."}, "has a line break"),
        ({"target": (20, 22), "text": LATER}, "is not the first 'he'"),
        ({"label": None}, "has no label"),
    ],
)
def test_the_form_of_dpr_needs_the_first_pronoun_of_a_line(
    path: Path, change: dict[str, object], message: str
) -> None:
    (example,) = read(FORM, path, PRONOUN)
    other = replace(example, target=(39, 42))
    assert read(DPR, path, write(DPR, path, other)) == [other]
    with pytest.raises(DataError, match=message):
        write(DPR, path, replace(example, **change))  # type: ignore[arg-type]


CONLL = masked_conll.FORMAT


def cells_of(content: str) -> list[list[str]]:
    lines = content.split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def column(path: Path, number: int, **change: Any) -> list[str]:
    return [row[number] for row in cells_of(write(CONLL, path, replace(EXAMPLE, **change)))]


def test_a_document_an_example_and_a_cluster_a_candidate(path: Path) -> None:
    begin, comment, *lines = write(CONLL, path, EXAMPLE).split("\n")
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
def test_conll_is_read_as_written(path: Path, examples: list[MaskedExample]) -> None:
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
    assert all(len(row) == 12 for row in cells_of(write(CONLL, path, EXAMPLE, example)))
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
    content = write(CONLL, path, EXAMPLE)
    assert content.count(old) == 1
    error = refused(CONLL, path, content.replace(old, new))
    assert error.line == line
    assert message in error.message


def example_of(text: str, target: str, label: int | None = 1, name: str = "e1") -> MaskedExample:
    start = text.index(target)
    span = (start, start + len(target))
    return masked_example(name, "en", text, span, ("Ann", "Eve Lee"), label)


MET = "Ann met Eve Lee. She smiled."


def log_line(row: Any, scores: list[Any], **more: Any) -> str:
    """A line as lm_eval --log_samples writes it, its numbers as strings."""
    answers = [[str(score), "False"] for score in scores]
    made = {"doc_id": 0, "doc": dict(row), "resps": [[one] for one in answers], "acc": 1.0}
    return json.dumps({**made, "filtered_resps": answers, "filter": "none", **more})


def write_log(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("text", "target", "contexts", "continuation"),
    [
        (MET, "She", ["Ann met Eve Lee. Ann", "Ann met Eve Lee. Eve Lee"], " smiled."),
        ("Ann saw his car.", "his", ["Ann saw Ann's", "Ann saw Eve Lee's"], " car."),
        ("Eve Lee likes her", "her", ["Eve Lee likes Ann", "Eve Lee likes Eve Lee"], "."),
    ],
)
def test_a_row_asks_for_the_text_after_each_candidate(
    text: str, target: str, contexts: list[str], continuation: str
) -> None:
    row = lm_eval.make_row(example_of(text, target), "mine")
    assert (row["contexts"], row["continuation"]) == (contexts, continuation)
    assert (row["corpus"], row["label"]) == ("mine", 1)


def test_rows_are_read_as_the_examples_that_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    made = [example_of(MET, "She"), example_of(MET, "smiled", 0, "e2")]
    assert lm_eval.write(path, ((one, "mine") for one in made)) == 2
    assert registry.detect_format(path) is lm_eval.FORMAT
    assert [one for _, one in lm_eval.read(path)] == made
    with pytest.raises(ValueError, match="no label"):
        lm_eval.make_row(example_of(MET, "She", None), "mine")


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [([-2.5, -1.5], 1), ([-1.5, -2.5], 0), ([-1.5, -1.5], 0), ([float("-inf"), -9], 1)],
)
def test_a_log_says_what_was_likeliest(tmp_path: Path, scores: list[float], chosen: int) -> None:
    path = write_log(
        tmp_path / "samples_x.jsonl",
        log_line(lm_eval.make_row(example_of(MET, "She"), "c"), scores),
    )
    assert registry.detect_format(path) is lm_eval.FORMAT
    [(line, found)] = lm_eval.read(path)
    assert (line, found) == (1, example_of(MET, "She", chosen))
    [answer] = lm_eval.read_log(path)
    assert (answer.corpus, answer.right, answer.example.label) == ("c", 1, chosen)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"filtered_resps": [["-1", "False"]]}, "not a log-likelihood for each candidate"),
        ({"filtered_resps": [["nan", "False"], ["-1", "False"]]}, "not a log-likelihood for each"),
        ({"doc": {"contexts": [], "continuation": "."}}, "corpus: Field required"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    row = lm_eval.make_row(example_of(MET, "She"), "c")
    good = log_line(row, [-1, -2])
    path = write_log(tmp_path / "s.jsonl", good, log_line(row, [-1, -2], **change))
    with pytest.raises(DataError, match=rf"s\.jsonl:2: .*{said}.*export-task"):
        list(lm_eval.read(path))
