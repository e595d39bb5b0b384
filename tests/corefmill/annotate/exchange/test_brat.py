"""brat's stand-off annotations: read by brat's own rules, there and back, damaged."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.annotate.exchange import brat, chains
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corefmill.annotate.exchange.trials import SMALL, TEXT, back, nasty, sent
from tests.corpora.generated import damaged

ANN = (
    "T1\tMention 0 3\t𝒜da\n"
    "T2\tMention 16 19\tShe\n"
    "T3\tMention 20 21\t∅\n"
    "T4\tMention 4 7;11 14\tput out\n"
    "T5\tMention 0 15\t𝒜da put it out.\n"
    "T6\tMention 8 10\tit\n"
    "R1\tCoreference Arg1:T2 Arg2:T1\n"
    "R2\tCoreference Arg1:T3 Arg2:T2\n"
    "R3\tCoreference Arg1:T6 Arg2:T5\n"
)


def strictly(folder: Path, name: str) -> int:
    """The mentions of a file that keeps every rule which brat's parser has for T and R lines.

    Numbered ids, fragments in order, apart, without line ends, and the text that stands there.
    """
    text = (folder / f"{name}.txt").read_bytes().decode()
    known = set()
    for line in (folder / f"{name}.ann").read_bytes().decode().split("\n")[:-1]:
        if found := re.fullmatch(r"R\d+\tCoreference Arg1:(T\d+) Arg2:(T\d+)", line):
            assert {found[1], found[2]} <= known
            continue
        found = re.fullmatch(r"(T\d+)\tMention ((?:\d+ \d+;?)+)\t(.*)", line, re.DOTALL)
        assert found and found[1] not in known
        known.add(found[1])
        end, words = -1, []
        for fragment in found[2].split(";"):
            start, last = map(int, fragment.split(" "))
            assert end < start < last <= len(text)
            assert "\n" not in text[start:last]
            words.append(text[start:last])
            end = last
        assert found[3].split() == re.sub(r"[\0-\x1f]", " ", " ".join(words)).split()
    return len(known)


def test_what_is_written(tmp_path: Path) -> None:
    plain = sent("brat", SMALL, tmp_path)
    assert (tmp_path / "0001.txt").read_text("utf-8") == TEXT
    assert (tmp_path / "0001.ann").read_text("utf-8") == ANN
    assert "Coreference\tArg1:Mention, Arg2:Mention" in (tmp_path / brat.SETUP).read_text()
    assert strictly(tmp_path, "0001") == 6
    assert back("brat", plain, tmp_path / "0001.ann") == SMALL


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=nasty())
def test_there_and_back(document: Document, tmp_path: Path) -> None:
    plain = sent("brat", document, tmp_path)
    assert strictly(tmp_path, "0001") == sum(map(len, document.clusters))
    assert back("brat", plain, tmp_path / "0001.ann") == document


def edited(folder: Path, old: str, new: str) -> Document:
    plain = sent("brat", SMALL, folder)
    assert old in ANN
    (folder / "0001.ann").write_text(ANN.replace(old, new), "utf-8")
    return back("brat", plain, folder / "0001.ann")


def test_what_an_annotator_changed(tmp_path: Path) -> None:
    merged = edited(tmp_path, "R1\tCoreference Arg1:T2 Arg2:T1\n", "*\tCoreference T5 T1 T2\n")
    assert len(merged.clusters) == 2
    assert merged.clusters[0][:2] == (Mention(0, 0, 1), Mention(1, 0, 1))
    split = edited(tmp_path, "R3\tCoreference Arg1:T6 Arg2:T5\n", "")
    assert [len(cluster) for cluster in split.clusters] == [3, 1, 1, 1]
    assert (split.sentences, split.meta) == (SMALL.sentences, SMALL.meta)


def test_notes_are_counted(tmp_path: Path) -> None:
    sent("brat", SMALL, tmp_path)
    with (tmp_path / "0001.ann").open("a") as file:
        file.write("#1\tAnnotatorNotes T1\twho is it?\n")
    (read,) = brat.read(tmp_path / "0001.ann")
    assert read.left_out == {"notes": 1}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Mention 8 10\tit", "Person 8 10\tit", r"0001\.ann:6: neither a Mention nor"),
        ("Mention 8 10\tit", "Mention 9 10\tt", r"0001\.ann:6: the mention \(9, 10\): it cuts"),
        ("Mention 8 10\tit", "Mention 8 10\tin", r"0001\.ann:6: the words 'in' do not stand"),
        ("Mention 8 10\tit", "Mention 800 1000\t", r"0001\.ann:6: .* outside the text"),
        ("Arg1:T3", "Arg1:T9", r"0001\.ann:8: there is no T9"),
        ("T6\t", "T5\t", r"0001\.ann:6: T5 comes twice"),
        ("R3\t", "E3\t", r"0001\.ann:9: neither"),
    ],
)
def test_one_fault_a_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        edited(tmp_path, old, new)


def test_a_line_break_in_a_token_is_refused(tmp_path: Path) -> None:
    broken = replace(SMALL, sentences=(Sentence((Token("a\nb"),)),), clusters=())
    with pytest.raises(DataError, match=r"0001\.ann: a token has a line break"):
        brat.write(tmp_path, [chains.plain(1, "all", broken)])


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_a_data_error(data: st.DataObject, tmp_path: Path) -> None:
    plain = sent("brat", SMALL, tmp_path)
    path = tmp_path / data.draw(st.sampled_from(["0001.ann", "0001.txt"]))
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    try:
        back("brat", plain, tmp_path / "0001.ann")
    except DataError as error:
        assert error.path is not None
        assert Path(error.path).parent == tmp_path
