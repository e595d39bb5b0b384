"""`corefmill score`: tables, JSON, and errors of one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import corefmill
from corefmill.corpora.files.errors import UsageError
from tests.commands import called, command, json_result
from tests.corefmill.dumps import error_line
from tests.corpora.scoring.corefud_cases import CASES, EXPECTED, conllu
from tests.corpora.scoring.files import conll, letters
from tests.corpora.scoring.test_matching import TREE
from tests.corpora.scoring.test_sources import KEY

Pair = tuple[Path, Path]
Score = Callable[..., str]
Json = Callable[..., Any]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """nw/a: {a} {bc} {def} against {a} {de}; bc/b: {abc} against {abca}; bc/c: nothing."""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(
        conll({"nw/a": letters("a bc def"), "bc/b": letters("abc"), "bc/c": []}, 60),
        encoding="utf-8",
    )
    response.write_text(
        conll({"nw/a": letters("a de"), "bc/b": letters("abca"), "bc/c": []}, 60), encoding="utf-8"
    )
    return key, response


@pytest.fixture
def score() -> Score:
    """Runs the command, which must end well, and gives what it prints."""

    def scored(*arguments: str | Path) -> str:
        code, shown, errors = called("corefmill", "score", *arguments)
        assert (code, errors) == (0, "")
        return shown

    return scored


@pytest.fixture
def as_json(score: Score) -> Json:
    """The same with --json."""
    return lambda *arguments: json_result(score(*arguments, "--json"))


@pytest.fixture
def signed(score: Score) -> Score:
    """The signature that --json prints beside the result."""
    return lambda *arguments: str(json.loads(score(*arguments, "--json"))["signature"])


def test_a_table(pair: Pair, score: Score) -> None:
    shown = score(*pair)
    for line in (
        "recall  precision      F1  recall of  precision of",
        "mentions    66.67     100.00   80.00        6/9           6/6",
        "MUC         60.00     100.00   75.00        3/5           3/3",
        "B3          59.26     100.00   74.42     5.33/9           6/6",
        "  coreference",
        "  non-coreference",
        "Note: 1 mentions of the key stand more than once in the response; the first counts.",
        "3 documents, singletons as they stand in the files. Percentages are rounded, not cut off.",
    ):
        assert " ".join(line.split()) in " ".join(shown.split())
    assert "documents" not in score(*pair, "--quiet")


def test_json_gives_fractions_by_metric(pair: Pair, as_json: Json) -> None:
    found = as_json(*pair)
    muc = {"recall": [3, 5], "precision": [3, 3], "f1": pytest.approx(0.75)}
    assert found["muc"] == muc
    assert found["bcub"]["recall"] == pytest.approx([7 / 3 + 3, 9])
    assert found["ceafe"]["precision"] == pytest.approx([9 / 5 + 1, 3])
    assert set(found) == {
        *("mentions", "muc", "bcub", "ceafe", "ceafm", "lea", "blanc", "conll"),
        *("key", "response", "documents", "notes", "singletons"),
    }
    assert found["blanc"]["coreference"] == {
        "recall": [4, 7],
        "precision": [4, 4],
        "f1": pytest.approx(8 / 11),
    }
    assert found["blanc"]["recall"] == pytest.approx([(4 / 7 + 2 / 11) / 2, 1])
    assert found["conll"]["f1"] == pytest.approx(
        sum(found[name]["f1"] for name in ("muc", "bcub", "ceafe")) / 3
    )
    assert (found["documents"], found["singletons"]) == (3, "keep")


def test_metrics_singletons_and_further_tables(pair: Pair, as_json: Json, score: Score) -> None:
    found = as_json(
        *pair, "--metrics", "b3,muc", "--singletons", "drop", "--by", "genre", "--by", "document"
    )
    assert found["bcub"]["recall"] == pytest.approx([4 / 3 + 3, 8])
    assert "ceafe" not in found and "conll" not in found
    assert [(row["genre"], row["muc"]["recall"]) for row in found["by_genre"]] == [
        ("bc", [2, 2]),
        ("nw", [1, 3]),
    ]
    assert [row["document"] for row in found["by_document"]] == ["nw/a", "bc/b", "bc/c"]
    shown = score(*pair, "--by", "genre", "--genre", "(..)/[ab]", "--metrics", "conll")
    assert "F1 by genre  mentions     MUC      B3   CEAFe   CoNLL" in shown
    assert shown.count("bc  ") == 1 and shown.count("\n-  ") == 1


def test_markdown(pair: Pair, score: Score) -> None:
    shown = score(*pair, "--markdown", "--metrics", "muc", "--quiet").splitlines()
    assert shown[0] == "|  | recall | precision | F1 | recall of | precision of |"
    assert shown[2:] == [
        "| mentions | 66.67 | 100.00 | 80.00 | 6/9 | 6/6 |",
        "| MUC | 60.00 | 100.00 | 75.00 | 3/5 | 3/3 |",
    ]


def test_intervals_and_a_second_response(
    pair: Pair, as_json: Json, score: Score, signed: Score
) -> None:
    key, response = pair
    more = (key, response, "--against", key, "--bootstrap", "200", "--seed", "7")
    found = as_json(*more)
    assert found == as_json(*more)
    assert found["against"]["muc"]["f1"] == 1
    assert found["differences"]["conll"]["f1"] == pytest.approx(1 - found["conll"]["f1"])
    assert 0 < found["differences"]["muc"]["p"] <= 1
    low, high = found["intervals"]["muc"]["f1"]
    assert 0 <= low <= 0.75 <= high <= 1
    assert found["against"]["intervals"]["conll"]["f1"][1] == 1
    assert (found["draws"], found["seed"], found["level"]) == (200, 7, 0.95)
    shown = score(*more)
    assert f"{key} less {response}:" in shown
    assert "200 draws of documents with seed 7" in shown
    assert "F1, 95%" in shown
    assert "|bootstrap:200|seed:7|" in signed(*more)
    assert "|bootstrap:10000|seed:0|" in signed(key, response, "--against", key)


def test_gap_and_masked_examples(tmp_path: Path, as_json: Json, score: Score) -> None:
    key, answers = tmp_path / "gap.tsv", tmp_path / "answers.tsv"
    key.write_text(KEY, encoding="utf-8")
    answers.write_text(
        "1\tTRUE\tFALSE\n2\tTRUE\tFALSE\n3\tFALSE\tFALSE\n4\tTRUE\tFALSE\n", encoding="utf-8"
    )
    found = as_json(key, answers)
    assert found["gap"]["recall"] == [2, 3]
    assert found["feminine"] == {"recall": [1, 2], "precision": [1, 2], "f1": 0.5}
    assert found["bias"] == {"ratio": 0.5}
    shown = score(key, answers, "--by", "genre", "--bootstrap", "20")
    assert "bias" in shown and "0.50" in shown and "4 examples" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("nowhere.conll response.conll", "nowhere.conll: there is no such file"),
        ("empty.conll response.conll", "empty.conll: no documents here"),
        ("key.conll fewer.conll", "the response lacks 2 of 3 documents of the key, such as 'bc/b'"),
        (
            "key.conll broken.conll",
            "broken.conll:2: document nw/a: 1) closes a mention that is not open",
        ),
        ("key.conll response.conll --metrics bleu", "unknown metric 'bleu' (there are muc, bcub"),
        ("key.conll response.conll --genre (", "--genre '(' is not a regular expression"),
        ("key.conll response.conll --bootstrap 0", "0 draws: at least one is needed"),
        (
            "fewer.conll fewer.conll --bootstrap 5",
            "the key has a single document, so there is nothing to draw",
        ),
        ("key.conll response.conll --singletons no", "'no' is not one of 'keep', 'drop'"),
        ("key.conll", "Missing argument"),
        ("key.conll response.conll --metrics mor", "'mor' needs CoNLL-U with --match or --zeros"),
        ("key.conll response.conll --match head", "--match and --zeros need CoNLL-U"),
        ("key.conllu key.conllu --by class", "(give --match, such as --match head)"),
    ],
)
def test_what_cannot_be_scored_is_one_line_and_exit_code_2(
    tmp_path: Path, pair: Pair, arguments: str, said: str
) -> None:
    (tmp_path / "key.conllu").write_text(TREE, encoding="utf-8")
    for name, content in (
        ("empty", ""),
        ("fewer", conll({"nw/a": []}, 60)),
        ("broken", "#begin document (nw/a); part 000\nx\t1)\n#end document\n"),
    ):
        (tmp_path / f"{name}.conll").write_text(content, encoding="utf-8")
    done = command("corefmill", "score", *arguments.split(), cwd=tmp_path)
    assert said in error_line(done) and not done.stdout


@pytest.fixture
def trees(tmp_path: Path) -> Pair:
    """A pair of CoNLL-U whose mentions share heads alone."""
    paths = tmp_path / "key.conllu", tmp_path / "response.conllu"
    for path, text in zip(paths, CASES["same head, less words"][1:], strict=True):
        path.write_text(conllu(text), encoding="utf-8")
    return paths


def test_mentions_by_their_heads(trees: Pair, as_json: Json, score: Score) -> None:
    found = as_json(*trees, "--match", "head")
    assert (found["match"], found["zeros"]) == ("head", "dependent")
    recall, precision = EXPECTED["same head, less words"]["mor"]
    top, bottom = found["mor"]["recall"]
    assert top / bottom == pytest.approx(recall)
    assert found["mor"]["precision"][0] / found["mor"]["precision"][1] == pytest.approx(precision)
    assert as_json(*trees, "--zeros", "linear")["match"] == "exact"
    assert "mentions match by their heads, zeros left out." in score(
        *trees, "--match", "head", "--zeros", "none"
    )


def test_python_scores_as_the_command_does(pair: Pair, trees: Pair, as_json: Json) -> None:
    """Python's `score` once had neither match, bootstrap nor signature."""
    table = corefmill.score(*trees, match="head", singletons="drop")
    assert corefmill.score(*trees, zeros="linear").signature.fields["match"] == "exact"
    command = as_json(*trees, "--match", "head", "--singletons", "drop")
    assert table["muc"].f1 == command["muc"]["f1"]
    key, response = pair
    table = corefmill.score(key, response, against=key, bootstrap=200, seed=7)
    found = as_json(key, response, "--against", key, "--bootstrap", "200", "--seed", "7")
    assert table.against["muc"].f1 == 1
    assert table.differences["conll"].p == found["differences"]["conll"]["p"]
    interval = table.intervals["muc"][2]
    assert [interval.low, interval.high] == found["intervals"]["muc"]["f1"]
    with pytest.raises(UsageError, match="match is exact, head, partial or None, not 'heads'"):
        corefmill.score(*trees, match="heads")


def test_signatures_differ_where_numbers_mean_another_thing(trees: Pair, signed: Score) -> None:
    key, response = trees
    shown = [
        signed(key, response, *more)
        for more in (
            (),
            ("--match", "exact"),
            ("--match", "head"),
            ("--match", "head", "--zeros", "linear"),
            ("--match", "head", "--singletons", "drop"),
            ("--match", "head", "--metrics", "conll"),
            ("--match", "head", "--unmatched", "ignore"),
        )
    ]
    shown.append(signed(response, key))
    assert len(set(shown)) == len(shown)
    for more in (
        ("--match", "head", "--zeros", "dependent"),
        ("--match", "head", "--seed", "7", "--by", "document"),
        ("--match", "head", "--metrics", "zero,all"),
    ):
        assert signed(key, response, *more) == shown[2]
    assert signed(key, key, "--match", "head") == shown[2]


def test_tables_by_class(tmp_path: Path, as_json: Json, score: Score) -> None:
    key = tmp_path / "key.conllu"
    key.write_text(TREE, encoding="utf-8")
    given = (key, key, "--match", "head", "--zeros", "linear")
    found = as_json(*given, "--by", "class")
    assert found["by_class"][0] == {
        "class": "pronoun",
        "mentions": {"recall": [2, 2], "precision": [2, 2], "f1": 1},
        "anaphors": {"recall": [2, 2], "precision": [2, 2], "f1": 1},
    }
    assert "by class  recall  precision      F1  mentions  recall" in score(*given, "--by", "class")
