"""Which column of a CoNLL table is the word: told by content, named by --columns, or an error."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from corefmill.corpora import api
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats.conll2012 import read, with_columns
from corefmill.corpora.formats.conll_columns import no_words, parse_columns
from corefmill.corpora.records import Document, Mention
from corefmill.corpora.scoring.readers import read_columns
from corefmill.corpora.scoring.sources import text_of

HE = ((Mention(0, 0, 1), Mention(0, 2, 3)),)


def table(path: Path, rows: str, *, tabs: bool = True) -> Path:
    """A file of one document, whose rows stand between slashes."""
    lines = (("\t" if tabs else "   ").join(row.split()) for row in rows.split("/"))
    path.write_text("\n".join(["#begin document (d); part 000", *lines, "", "#end document\n"]))
    return path


def first(path: Path) -> Document:
    return next(document for _, document in read(path, "und"))


def forms(document: Document) -> str:
    return " ".join(token.form for one in document.sentences for token in one.tokens)


@pytest.mark.parametrize(
    "rows",
    [
        # CoNLL-U and a chain behind it, or in the place of MISC; CoNLL-X; with a contraction
        "1 Bo Bo PROPN _ _ 2 nsubj _ _ (1)/2 saw see VERB _ _ 0 root _ _ _"
        "/3 her she PRON _ _ 2 obj _ _ (1)",
        "1 Bo Bo PROPN _ _ 2 nsubj _ (1)/2 saw see VERB _ _ 0 root _ _"
        "/3 her she PRON _ _ 2 obj _ (1)",
        "1 Bo Bo N NP n=s 2 SBJ 2 SBJ (1)/2 saw see V VF _ 0 ROOT 0 ROOT -"
        "/3 her she P PP _ 2 OBJ 2 OBJ (1)",
        "1-2 Bosaw _ _ _ _ _ _ _ _ _/1 Bo Bo PROPN _ _ 2 x _ _ (1)/2 saw see VERB _ _ 0 x _ _ _"
        "/2.1 _ _ _ _ _ _ _ _ _ _/3 her she PRON _ _ 2 x _ _ (1)",
        # SemEval-2010: all of it, ten columns, and without annotation
        "1 Bo Bo Bo NP NP _ _ 2 2 SBJ SBJ (per) _ _ _ (1)/2 saw see see VF VF _ _ 0 0 S S _ _ _ _ _"
        "/3 her she she PP PP _ _ 2 2 OBJ OBJ _ _ _ _ (1)",
        "1 Bo Bo _ NP _ n=s _ 2 (1)/2 saw see _ VF _ _ _ 0 _/3 her she _ PP _ _ _ 2 (1)",
        "1 Bo _ _ _ _ _ _ _ _ _ (1)/2 saw _ _ _ _ _ _ _ _ _ _/3 her _ _ _ _ _ _ _ _ _ (1)",
        # the number first, from 0 or 1
        "0 Bo NP (1)/1 saw VF -/2 her PP (1)",
        "1 Bo NP B-PER (1)/2 saw VF O -/3 her PP O (1)",
        # the word first
        "Bo NNP (1)/saw VBD -/her PRP (1)/. . -",
        "Bo NE (1)/saw VVFIN -/her PPER (1)/. $. -",
        "Bo Bo NNP (1)/saw see VBD -/her she PRP (1)",
        # the document first
        "d Bo (1)/d saw -/d her (1)",
        "d 0 0 0 Bo NNP (1)/d 0 0 1 saw VBD -/d 0 0 2 her PRP (1)",
        # CoNLL-2012 with few columns, which was read so before
        "d 0 Bo (1)/d 1 saw -/d 2 her (1)",
        "0 Bo (1)/1 saw -/2 her (1)",
        "Bo (1)/saw -/her (1)",
        "d 0 0 Bo (1)/d 0 1 saw -/d 0 2 her (1)",
    ],
)
@pytest.mark.parametrize("tabs", [True, False])
def test_tells_columns_by_content(path: Path, rows: str, tabs: bool) -> None:
    document = first(table(path, rows, tabs=tabs))
    assert forms(document).removesuffix(" .") == "Bo saw her"
    assert document.clusters == HE


def test_a_dropped_subject_of_semeval_is_a_zero_mention(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rest = "_ _ _ _ _ 2 2 S S _ _"
    rows = f"1 Bo Bo {rest} (1)/2 _ _ {rest} (2|(1)/3 saw see {rest} 2)/4 _ _ {rest} (3)"
    # A sentence of such a subject alone has no word, and is counted.
    document = first(table(path, f"{rows}//1 _ _ {rest} (3)"))
    assert forms(document) == "Bo saw" and len(document.sentences) == 1
    assert "number" not in document.meta["conll"]["sentences"]["0"]  # 1 and 3
    assert document.clusters == (
        (Mention(0, 0, 1), Mention(0, 1, 1, zero=True)),
        (Mention(0, 1, 2),),
        (Mention(0, 2, 2, zero=True),),
    )
    (text,) = read_columns(path)
    assert (text.tokens, text.clusters) == (2, text_of(document).clusters)
    assert "1 rows such as" in caplog.text and "dropped subjects alone" in caplog.text


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("1 PROPN Bo (1)/2 VERB saw -/3 PRON her (1)", "word=3,pos=2"),
        ("d 0 0 NNP Bo (1)/d 0 1 VBD saw -/d 0 2 PRP her (1)", "word=5,pos=4"),
        ("1 _ _ _ Bo (1)/2 _ _ _ saw -/3 _ _ _ her (1)", "word=5"),
        ("1 1 Bo NP (1)/1 2 saw VF -/1 3 her PP (1)", "word=3, coref=-1"),
        ("1 Bo (1) NP/2 saw - VF/3 her (1) PP", "word=2,pos=4,coref=3"),
        ("1 Bo (1) -/2 saw - -/3 her (1) -", "word=-3,coref=-2"),
        ("1 7 Bo see (1)/2 8 saw see -/3 9 her she (1)", "word=3,lemma=4"),
        ("_ NP Bo (1)/_ VF saw -/_ PP her (1)", "word=3,pos=2"),
        ("0-2 NNP Bo (1)/3-6 VBD saw -/7-9 PRP her (1)", "word=3,pos=2"),
        ("(S(NP*) NNP Bo (1)/(VP* VBD saw -/*)) PRP her (1)", "word=3,pos=2"),
    ],
)
def test_columns_that_cannot_be_told_are_named(path: Path, rows: str, columns: str) -> None:
    table(path, rows)
    with pytest.raises(DataError, match=r"cannot be told .*' \| '.*' \| '.*--columns") as caught:
        first(path)
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    (finding,) = api.check(path, form="conll2012")
    assert (finding.code, finding.line) == ("E201", 2)
    form = with_columns(columns)
    ((_, document),) = form.read(path, "en")
    assert (forms(document), document.clusters) == ("Bo saw her", HE)


def test_a_tab_at_the_end_of_rows_is_no_column(path: Path) -> None:
    table(path, "d 0 0 Bo (1)/d 0 1 saw -/d 0 2 her (1)")
    path.write_text("".join(f"{line}\t\n" if "d\t" in line else f"{line}\n" for line in
                            path.read_text().splitlines()))  # fmt: skip
    assert first(path).clusters == HE


@pytest.mark.parametrize("tabs", [True, False])
@pytest.mark.parametrize(
    "rows", ["d 0 0 Bo NN (1)/d 0 1 saw -/d 0 2 her (1)", "(1)/-/(1)", "x (1)/-/(1)/"]
)
def test_a_score_needs_no_column_but_the_brackets(path: Path, rows: str, tabs: bool) -> None:
    table(path, rows, tabs=tabs)
    with pytest.raises(DataError, match=r":\d: .*score --columns coref=-1"):
        list(read_columns(path))
    (text,) = read_columns(path, parse_columns("coref=-1", wordless=True))
    assert (text.tokens, text.clusters) == (3, [[(0, 1), (2, 3)]])
    with pytest.raises(UsageError, match="which column is the word"):
        with_columns("coref=-1")


@pytest.mark.parametrize(
    "columns", ["", "pos=2", "word", "word=0", "word=x", "form=2", "word=2;pos=3"]
)
def test_refuses_what_names_no_columns(columns: str) -> None:
    with pytest.raises(UsageError, match="--columns"):
        parse_columns(columns)


def test_a_column_beyond_the_row_is_an_error(path: Path) -> None:
    table(path, "1 Bo (1)")
    with pytest.raises(DataError, match=r":2: 3 columns, but --columns says word=7"):
        list(with_columns("word=7").read(path, "en"))


def test_a_named_table_needs_no_begin(path: Path) -> None:
    path.write_text("# a comment\n1 N Bo (1)\n2 V saw -\n3 P her (1)\n\n1 N Di -\n")
    ((_, document),) = with_columns("word=3").read(path, "en")
    assert (document.doc_id, forms(document), document.clusters) == (path.stem, "Bo saw her Di", HE)


def test_cuts_the_words_of_arabic_ontonotes(path: Path) -> None:
    rows = (
        "d 0 0 كِتاب#kitAb#ktb#kitAb N (1)/d 0 1 في#fiy#fy#fiy P -/d 0 2 هو#hw#h X -/d 0 3 # S (1)"
    )
    document = first(table(path, rows))
    assert forms(document) == "كِتاب في هو #"
    kept = document.meta["conll"]["sentences"]["0"]["analysis"]
    assert kept.split("\t")[1] == "في#fiy#fy#fiy"
    # Not so in other scripts, where # may stand within words.
    assert forms(first(table(path, "d 0 0 a#b#c#d N (1)"))) == "a#b#c#d"


def test_other_rows_of_conll_u_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.conll"
    table(path, "1-2 du _ _ _ _ _ _ _ _ _/1 de de ADP _ _ 0 root _ _ -/2 le le DET _ _ 1 x _ _ -")
    with caplog.at_level(logging.WARNING):
        first(path)
        list(read(path, "en"))
    assert "1 rows such as 8-9 and 8.1" in caplog.text and "CoNLL-U" in caplog.text
    table(path, "1-2 du _ _ _ _ _ _ _ _ (1)/1 de de ADP _ _ 0 root _ _ -/2 le le DET _ _ 1 x _ _ -")
    with pytest.raises(DataError, match=r":2: a mention at '1-2'.*--lenient"):
        first(path)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("DET NOUN VERB PUNCT", "parts of speech"),
        ("NNP VBD PRP$ NN , DT NN .", "parts of speech"),
        ("ART NN VVFIN $.", "parts of speech"),
        ("NR VV PN PU", "parts of speech"),
        ("0 1 2 3", "numbers or underscores"),
        ("_ _ _", "numbers or underscores"),
        ("1-2 1 2 3.1", "numbers or underscores"),
        ("(TOP(S(NP*) (VP* *)) *", "numbers or underscores"),
        ("A WOMAN SAW THE DOG .", ""),
        ("IN TO DT", "parts of speech"),
        ("To be in , or X .", ""),
        ("1999", ""),
        ("No 5 of 7", ""),
        (". , .", ""),
        ("我 看 见 她", ""),
        ("", ""),
    ],
)
def test_tells_words_from_other_columns(words: str, what: str) -> None:
    assert no_words(words.split()) == what


def test_check_finds_words_that_are_none(path: Path) -> None:
    table(path, "d 0 0 Bo (1)/d 0 1 saw -/d 0 2 her (1)")
    assert api.check(path, form="conll2012") == []
    path.write_text(
        '{"doc_key": "d_0", "sentences": [["PROPN", "VERB", "PRON"]], "clusters": []}\n'
    )
    (finding,) = api.check(path, form="maverick")
    assert finding.code == "W211" and "'PROPN VERB PRON'" in finding.message
