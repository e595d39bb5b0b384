"""One bad mention: an error, or with --lenient left out and counted, and its document stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import api
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.bad_mentions import lenient
from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.corpora.scoring.score import score

SENTENCES = tuple(Sentence(tuple(map(Token, text.split()))) for text in ("a b c d", "e f g"))
GOOD = (Mention(0, 0, 1), Mention(1, 0, 1))
SHORT = ["conll2012", "wl-coref", "s2e", "maverick", "fastcoref"]


def clusters(path: Path, form: str | None = None) -> list[tuple[tuple[Mention, ...], ...]]:
    return [one.clusters for one in api.read(path, form) if isinstance(one, Document)]


@pytest.mark.parametrize("form", SHORT)
@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (((Mention(0, 2, 2, zero=True),),), "1 zero"),
        (((Mention(0, 1, 2, parts=((3, 4),)),),), "1 discontinuous"),
        (((Mention(1, 0, 1), Mention(0, 1, 2)),), "1 of the span of another"),
        (((Mention(0, 2, 2, zero=True), Mention(1, 1, 1, zero=True)), GOOD), "2 of the span"),
    ],
)
def test_convert_leaves_the_mention_out(
    bad: tuple[tuple[Mention, ...], ...],
    kind: str,
    form: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    source, target = tmp_path / "a.jsonl", tmp_path / "b"
    documents = [
        Document("x", 0, "en", SENTENCES, (GOOD, *bad)),
        Document("y", 0, "en", SENTENCES, (GOOD,)),
    ]
    api.write(source, documents)
    with pytest.raises(DataError, match=r"document x.*--lenient"):
        api.convert(source, target, writer=form)
    report = api.convert(source, target, writer=form, lenient=True)
    assert (report.records, report.left_out) == (2, 0)
    kept = tuple(one for one in bad if Mention(0, 1, 2) in one and not one[0].parts)
    assert clusters(target, form) == [(GOOD, *((Mention(0, 1, 2),) for _ in kept)), (GOOD,)]
    (line,) = (one for one in caplog.messages if "bad mention" in one)
    assert kind in line and "document x, part 0: mention [" in line


def test_brackets_leave_out_what_crosses(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source, target = tmp_path / "a.jsonl", tmp_path / "b.conll"
    crossing = (Mention(0, 0, 2), Mention(0, 1, 3))
    api.write(source, [Document("x", 0, "en", SENTENCES, (crossing,))])
    api.convert(source, target, lenient=True)
    assert clusters(target) == [((Mention(0, 0, 2),),)] and "1 crossing" in caplog.text
    api.convert(source, tmp_path / "c.jsonlines", writer="s2e", lenient=True)
    assert clusters(tmp_path / "c.jsonlines") == [(crossing,)]


@pytest.mark.parametrize(
    ("cells", "counts"),
    [
        ("(1) (2 - | (1) - -", "1 not closed"),
        ("(1) 2) - | (1) - -", "1 closed but never opened"),
        ("(1) x7 - | (1) - -", "1 not in brackets"),
        ("(1) 7 - | (1) - -", "1 not in brackets"),
        ("(1) (2)) - | (1) - -", "1 not in brackets"),
        # over the end of a sentence is one mention, not two
        ("(1) - (2 | (1) 2) -", "1 not closed"),
        ("(1) - (2 | (1)|2) - 3)", "1 not closed, 1 closed but never opened"),
        ("(1)|(3 (4 x | (1) 3) 3)", "2 not closed, 1 not in brackets, 1 closed but never opened"),
    ],
)
def test_brackets_that_do_not_match(
    cells: str, counts: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.conll"
    words = iter("abcdef")
    rows = [
        "".join(f"d 0 {n} {next(words)} {cell}\n" for n, cell in enumerate(half.split()))
        for half in cells.split(" | ")
    ]
    path.write_text("#begin document (d); part 000\n" + "\n".join(rows) + "\n#end document\n")
    with pytest.raises(DataError, match=r"a\.conll:\d: .*--lenient"):
        clusters(path)
    with lenient():
        assert clusters(path) == clusters(path) == [((Mention(0, 0, 1), Mention(1, 0, 1)),)]
        assert list(score(path, path).totals()["mentions"]) == [2, 2, 2, 2]
    assert counts in caplog.text and f"{path}:" in caplog.text


@pytest.mark.parametrize(
    ("line", "message", "kind"),
    [
        (
            '{"doc_key": "%s_0", "sentences": [["a", "b"], ["c"]],'
            ' "clusters": [[[0, 0], [1, 2]], [[1, 2]]]}\n',
            r":1: mention \[1, 3\) reaches over .*--lenient",
            "over the end of a sentence",
        ),
        (
            '{"doc_key": "%s_0", "text": "a bee.", "clusters": [[[0, 1], [2, 4]], [[2, 4]]]}\n',
            r":1: mention \[2, 4\) cuts a word: 'be'.*--lenient",
            "cutting a word",
        ),
        (
            '{"id": "%s", "text": "a bee.", "label": [[0, 1, "A"], [2, 4, "A"], [2, 4, "B"]]}\n',
            r":1: mention \[2, 4\) cuts a word: 'be'.*--lenient",
            "cutting a word",
        ),
    ],
)
def test_a_mention_that_does_not_fit_sentences_or_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str, message: str, kind: str
) -> None:
    path = tmp_path / "a.jsonlines"
    path.write_text(line % "x" + line % "y")
    with pytest.raises(DataError, match=message):
        clusters(path)
    with lenient():
        assert clusters(path) == [((Mention(0, 0, 1),),)] * 2
    assert f"2 {kind}" in caplog.text and "y, part 0" in caplog.text


UD = """\
# newdoc id = d
# global.Entity = eid-etype-head-other
1\ta\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1)
2\tb\t_\t_\t_\t_\t1\tx\t_\tEntity={}
3\tc\t_\t_\t_\t_\t1\tx\t_\tEntity=(e1--1)

"""


@pytest.mark.parametrize(
    ("cell", "counts"),
    [
        ("(e2--1", "1 not closed"),
        ("e2)", "1 closed but never opened"),
        ("(e2[1/2]--1)", "1 not closed"),
        ("(e2[2/2]--1)", "1 closed but never opened"),
        ("e2", "1 not in brackets"),
        ("(--1)", "1 not in brackets"),
    ],
)
def test_entities_of_corefud(
    cell: str, counts: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(UD.format(cell))
    for match in (None, "head"):
        with pytest.raises(DataError, match=r"a\.conllu:4: .*--lenient"):
            score(path, path, match=match)  # type: ignore[arg-type]
        with lenient():
            score(path, path, match=match)  # type: ignore[arg-type]
    with lenient():
        assert clusters(path) == [((Mention(0, 0, 1), Mention(0, 2, 3)),)]
    assert caplog.text.count(counts) == 3


@pytest.mark.parametrize(
    "cells",
    ["(1 1 1)", "(1 1 1 1)", "(1|(2 2|1 1)|2 2)", "(1|(2 1|2 2) 1)", "(1|1 1)", "(1 1|(2) 1)"],
)
def test_numbers_without_a_bracket_within_a_mention(
    cells: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, plain = tmp_path / "a.conll", tmp_path / "b.conll"
    bare = [
        "|".join(one for one in cell.split("|") if set("()") & set(one)) or "-"
        for cell in cells.split()
    ]
    for file, column in ((path, cells.split()), (plain, bare)):
        rows = "".join(f"d {n} w{n} {cell}\n" for n, cell in enumerate(column))
        file.write_text(f"#begin document (d)\n{rows}\n#end document\n")
    assert clusters(path) == clusters(plain)
    assert score(plain, path).conll == score(plain, plain).conll
    assert caplog.text.count("numbers without a bracket") == 1
    assert {one.code for one in api.check(path)} == {"W210"}
