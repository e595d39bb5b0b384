"""Keys and responses in any format, GAP's and masked answers, and the score's signature."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.formats.gap import HEADER
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Record,
    Sentence,
    Source,
    Token,
)
from corefmill.corpora.scoring import gap, signature, sources
from corefmill.corpora.scoring.gap import GapAnswer
from corefmill.corpora.scoring.score import score
from corefmill.corpora.scoring.table import derive_scores
from tests.corpora.scoring.files import conll, letters
from tests.corpora.scoring.test_matching import TREE
from tests.corpora.test_records import EVENT, EXAMPLE

HEAD = "\t".join(HEADER) + "\n"


def row(name: str, pronoun: str, a: str, b: str) -> str:
    return f"{name}\tAda met Eva .\t{pronoun}\t9\tAda\t0\t{a}\tEva\t8\t{b}\thttp://x\n"


KEY = (
    HEAD
    + row("1", "She", "TRUE", "FALSE")
    + row("2", "her", "FALSE", "TRUE")
    + row("3", "his", "FALSE", "FALSE")
    + row("4", "him", "TRUE", "FALSE")
)


def write_text(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_documents_without_names_are_matched_by_their_numbers(tmp_path: Path) -> None:
    line = '{"tokens": ["Ada", "met", "her"], "clusters": [[[0, 0], [2, 2]]]}\n'
    key = write_text(tmp_path, "gold.jsonlines", line * 2)
    response = write_text(tmp_path, "found.jsonlines", line * 2)
    assert score(key, response).conll == pytest.approx(1)


def totals(folder: Path, response: str, key: str = KEY) -> dict[str, list[float]]:
    path = write_text(folder, "key.tsv", key)
    found = gap.count_gap(
        gap.read_gap(path, key=True),
        gap.read_gap(write_text(folder, "answers.tsv", response), key=False),
        path,
    )
    return {name: list(counts) for name, counts in found.totals().items()}


def test_counts_are_over_names(tmp_path: Path) -> None:
    answers = "1\tTrue\tFalse\n2\tTRUE\tFALSE\n3\tFALSE\tTRUE\n4\tTRUE\tFALSE\n"
    # right: 1A, 4A; missed: 2B; wrong: 2A, 3B
    assert totals(tmp_path, answers) == {
        "gap": [2, 3, 2, 4],
        "feminine": [1, 2, 1, 2],
        "masculine": [1, 1, 1, 2],
    }


def test_names_without_an_answer_are_false_negatives_even_where_false_is_right(
    tmp_path: Path,
) -> None:
    answers = "1\tTRUE\tFALSE\n1\tFALSE\tTRUE\n2\tno\tTRUE\nunknown\tTRUE\tTRUE\n"
    # 1: the first row counts. 2A: neither TRUE nor FALSE. 3 and 4 are missing, both names of each.
    assert totals(tmp_path, answers) == {
        "gap": [2, 2 + 1 + 4, 2, 2],
        "feminine": [2, 3, 2, 2],
        "masculine": [0, 4, 0, 0],
    }


@pytest.mark.parametrize(("first", "bias"), [("TRUE", (2 / 4) / 1), ("FALSE", float("nan"))])
def test_the_bias_is_feminine_over_masculine(tmp_path: Path, first: str, bias: float) -> None:
    answers = f"1\t{first}\tFALSE\n2\t{first}\tFALSE\n3\tFALSE\tFALSE\n4\tTRUE\tFALSE\n"
    key, given = write_text(tmp_path, "key.tsv", KEY), write_text(tmp_path, "a.tsv", answers)
    table = gap.count_gap(gap.read_gap(key, key=True), gap.read_gap(given, key=False), key)
    found = derive_scores(table.scores(table.totals()))["bias"]
    assert found == pytest.approx(bias, nan_ok=True)


@pytest.mark.parametrize(
    ("key", "line", "said"),
    [
        (HEAD, None, "no rows here"),
        (HEAD + row("1", "it", "TRUE", "FALSE"), 2, "'it' is not a pronoun of GAP's"),
        (HEAD + row("1", "she", "yes", "FALSE"), 2, "A-coref or B-coref is not TRUE or FALSE"),
        (HEAD + "1\tx\tshe\n", 2, "3 columns where the header has 11"),
        (KEY + row("1", "she", "TRUE", "FALSE"), 6, "1 is there twice"),
    ],
)
def test_a_broken_key(tmp_path: Path, key: str, line: int | None, said: str) -> None:
    with pytest.raises(DataError) as raised:
        totals(tmp_path, "1\tTRUE\tFALSE\n", key)
    assert said in str(raised.value)
    assert (Path(raised.value.path or "").name, raised.value.line) == ("key.tsv", line)


def example(
    name: str, label: int | None, candidates: tuple[str, ...] = ("Ada", "Eva")
) -> MaskedExample:
    return replace(EXAMPLE, id=name, label=label, candidates=candidates, mentions=())


def by_id(*examples: MaskedExample) -> dict[str, MaskedExample]:
    return {one.id: one for one in examples}


def test_the_right_candidate_or_none() -> None:
    key = by_id(example("1", 0), example("2", 1), example("3", None), example("4", None))
    given = by_id(example("4", 1), example("1", 0), example("2", 0), example("3", None))
    table = gap.count_examples(key, given)
    assert list(table.totals()["accuracy"]) == [2, 4, 2, 4]
    assert [row["accuracy"][0] for _, row in table.group("document")] == [1, 0, 1, 0]


ONE = by_id(example("1", 0))


@pytest.mark.parametrize(
    ("key", "response", "said"),
    [
        ({}, {}, "no examples here"),
        (ONE, {}, "the response lacks 1 of 1 examples of the key, such as 1"),
        (
            ONE,
            ONE | by_id(example("2", 0)),
            "the key lacks 1 of 2 examples of the response, such as",
        ),
        (ONE, by_id(example("1", 0, ("Ada", "Ida"))), "example 1 has other candidates than in the"),
    ],
)
def test_examples_that_do_not_match(
    key: dict[str, MaskedExample], response: dict[str, MaskedExample], said: str
) -> None:
    with pytest.raises(DataError) as raised:
        gap.count_examples(key, response)
    assert said in str(raised.value)


def write(path: Path, *records: Record) -> Path:
    jsonl.write(path, records)
    return path


def event(name: str, cluster: str, topic: str = "1", article: str = "A") -> EventMention:
    return replace(
        EVENT, id=name, cluster=cluster, source=Source(article, 0), meta={"topic": topic}
    )


SENTENCES = tuple(
    Sentence(tuple(map(Token, text.split()))) for text in ("Ada slept", "She and Eva woke")
)


def test_documents_of_any_format_match_those_of_the_column(tmp_path: Path) -> None:
    clusters = ((Mention(0, 0, 1), Mention(1, 0, 1)), (Mention(1, 2, 3), Mention(1, 0, 3)))
    document = Document("nw/a", 1, "en", SENTENCES, clusters, {"genre": "letters"})
    native = sources.load(write(tmp_path / "key.jsonl", document))
    column = tmp_path / "response.txt"
    spans = [[(0, 1), (2, 3)], [(2, 5), (4, 5)]]
    column.write_text("# of ours\n" + conll({"nw/a|1": spans}, tokens=6), encoding="utf-8")
    response = sources.load(column, key=native)
    assert isinstance(native, sources.Texts) and isinstance(response, sources.Texts)
    assert [text.clusters for text in native.texts] == [text.clusters for text in response.texts]
    table = score(native, response, metrics="muc")
    assert list(table.totals()["muc"]) == [2, 2, 2, 2]
    assert table["muc"] == (1, 1, 1) and table["muc"].f1 == 1
    with pytest.raises(KeyError):
        assert table.conll
    assert score(str(tmp_path / "key.jsonl"), column).conll == pytest.approx(1)
    assert list(table.genres) == ["letters"]


def test_zeros_and_pieces_are_mentions_of_their_own(tmp_path: Path) -> None:
    apart = Mention(1, 0, 3, ((0, 1), (2, 3)))
    cluster = (Mention(1, 1, 1, zero=True), Mention(1, 0, 3), apart)
    document = Document("a", 0, "it", SENTENCES, (cluster,))
    found = sources.load(write(tmp_path / "a.jsonl", document))
    assert isinstance(found, sources.Texts)
    assert found.texts[0].clusters == [[(3, 3, "zero"), (2, 5), (2, 5, (2, 3), (4, 5))]]


def test_events_match_by_id_all_together_or_in_groups(tmp_path: Path) -> None:
    key = [event("1", "x"), event("2", "x"), event("3", "y", "2"), event("4", "y", "2", "B")]
    given = [event("4", "q", "2", "B"), event("1", "p"), event("2", "q"), event("3", "q", "2")]
    paths = write(tmp_path / "key.jsonl", *key), write(tmp_path / "response.jsonl", *given)
    for group, names, links in (
        (None, ["events"], [1, 2, 1, 2]),
        ("topic", ["1", "2"], [1, 2, 1, 1]),
        ("article", ["A", "B"], [0, 1, 0, 1]),
    ):
        right = sources.load(paths[0], group=group)
        table = score(right, sources.load(paths[1], group=group, key=right))
        assert sorted(table.names) == names
        assert list(table.totals()["muc"]) == links
    with pytest.raises(UsageError, match="takes article, topic"):
        sources.load(paths[0], group="nope")


def test_a_group_of_anything_but_events_is_refused(tmp_path: Path) -> None:
    """It changed no number, but the signature named it."""
    conllu, column, gap_path = (tmp_path / name for name in ("a.conllu", "a.conll", "gap.tsv"))
    column.write_text(conll({"nw/a": letters("1")}), encoding="utf-8")
    conllu.write_text(TREE, encoding="utf-8")
    gap_path.write_text(KEY, encoding="utf-8")
    native = write(tmp_path / "d.jsonl", Document("a", 0, "en", SENTENCES, ()))
    masked = write(tmp_path / "m.jsonl", example("1", 0))
    for path, what in (
        (column, "documents"),
        (conllu, "documents"),
        (native, "documents"),
        (gap_path, "answers to GAP"),
        (masked, "masked examples"),
    ):
        with pytest.raises(UsageError, match=f"holds {what}, but --group is for event mentions"):
            sources.load(path, group="article", nodes=path is conllu)


def test_gap_is_answered_by_rows_or_by_masked_examples(tmp_path: Path) -> None:
    path, rows = tmp_path / "gap.tsv", tmp_path / "rows.tsv"
    path.write_text(KEY, encoding="utf-8")
    rows.write_text("1\tTRUE\tFALSE\n", encoding="utf-8")
    key = sources.load(path)
    assert isinstance(key, sources.Answers)
    lines = [line.replace("\t", ",") for line in KEY.splitlines()]
    path.write_text("\n".join(f"{n or ''},{line}" for n, line in enumerate(lines)))  # pandas
    assert sources.load(path) == key
    assert set(score(path, path).totals()["gap"]) == {3}
    for content in (
        "1\tTRUE\tFALSE\n",
        "1,TRUE,FALSE\n\n",
        "ID,A,B,NEITHER\n1,0.5,0.2,0.3\n",
        "ID;A-coref;B-coref\n1;true;0.0\n",
        '{"ID": "1", "A-coref": true, "B-coref": false}\n',
    ):
        rows.write_text(content, encoding="utf-8")
        assert sources.load(rows, key=key) == sources.Answers(rows, {"1": GapAnswer((True, False))})
    rows.write_text("1 TRUE FALSE\n", encoding="utf-8")
    with pytest.raises(DataError, match="ID A-coref B-coref NEITHER; the first 3 need no header"):
        sources.load(rows, key=key)
    labels = [example(name, label) for name, label in (("1", 0), ("2", 1), ("3", None))]
    found = sources.load(write(tmp_path / "e.jsonl", *labels), key=key)
    assert isinstance(found, sources.Answers)
    answers = [(True, False), (False, True), (False, False)]
    assert [answer.names for answer in found.rows.values()] == answers
    assert list(score(key, key).totals()["gap"]) == [3, 3, 3, 3]


def test_ids_made_of_file_names_match(tmp_path: Path) -> None:
    for name, answer in (("key", "Ada"), ("given", "Eva")):
        blocks = f"Ada met Eva as [MASK] fell.\n[MASK]\nAda,Eva\n{answer}\n\n"
        (tmp_path / f"{name}.txt").write_text(blocks + blocks.replace("Eva\n\n", "Ada\n\n"))
    key = sources.load(tmp_path / "key.txt")
    table = score(key, sources.load(tmp_path / "given.txt", key=key))
    assert list(table.totals()["accuracy"]) == [1, 2, 1, 2]


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    conll_file = tmp_path / "a.conll"
    conll_file.write_text(conll({"a": letters("12")}), encoding="utf-8")
    masked = write(tmp_path / "masked.jsonl", example("1", 0))
    twice = write(tmp_path / "twice.jsonl", example("1", 0), example("1", 0))
    same = write(tmp_path / "same.jsonl", event("1", "x"), event("1", "y"))
    empty = tmp_path / "empty"
    empty.touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    key = sources.load(conll_file)
    for path, options, said in (
        (tmp_path / "nowhere", {}, "nowhere: there is no such file"),
        (empty, {}, "empty: no documents here, the file is empty"),
        (folder, {}, "no file in this folder is of a known format"),
        (masked, {"key": key}, "the response holds masked examples, but the key"),
        (masked, {"form": "nope"}, "no format 'nope'"),
        (twice, {}, "twice.jsonl:2: example 1 is there twice"),
        (same, {}, "same.jsonl:2: mention 1 is there twice"),
    ):
        with pytest.raises(CorefmillError) as raised:
            sources.load(path, **options)  # type: ignore[arg-type]
        assert said in str(raised.value)
    with pytest.raises(DataError):
        sources.load(conll_file, key=sources.load(masked))


def test_the_checksum_is_of_a_file_or_of_what_is_read_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.conll", "b.conll"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    one, folder = signature.checksum(tmp_path / "a.conll"), signature.checksum(tmp_path)
    assert len(one) == len(folder) == 16
    (tmp_path / "README").write_text("more", encoding="utf-8")
    assert signature.checksum(tmp_path) == folder
    (tmp_path / "b.conll").write_text("other", encoding="utf-8")
    assert signature.checksum(tmp_path) != folder


def test_the_order_of_metrics_says_nothing(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    key.write_text("#begin document (a);\nword\t(1)\n#end document\n", encoding="utf-8")
    made = {
        str(score(key, key, metrics=metrics, seed=seed).signature)
        for metrics, seed in (("muc,lea,b3", 1), ("lea,bcub,muc", 2))
    }
    assert len(made) == 1 and "metrics:muc+bcub+lea|" in made.pop()
