"""GVC: which words a mention is, its chain and incident, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.gvc import read
from corefmill.corpora.formats.registry import of_file
from corefmill.corpora.records import EventMention
from tests.corpora.formats.test_every_format import GVC


def mentions(tmp_path: Path, text: str = GVC) -> list[EventMention]:
    (tmp_path / "gold.conll").write_text(text)
    return [mention for _, mention in read(tmp_path / "gold.conll")]


def test_words_without_dates_and_line_ends_are_the_text(tmp_path: Path) -> None:
    title, stopped, body = mentions(tmp_path)
    assert body.text == "Parade stopped The long parade ended"
    said = [one.text[one.start : one.end] for one in (title, stopped, body)]
    assert said == ["Parade", "stopped", "The long parade"]
    assert body.meta == {"sentence": 1, "sentence_span": [15, 36], "date": "2016-03-01"}
    assert body.source.title == "a1"


def test_chains_hold_across_documents_but_not_chain_0(tmp_path: Path) -> None:
    found = mentions(tmp_path, GVC + GVC.replace("a1", "a2"))
    chains = [mention.cluster for mention in found]
    assert chains == ["7", "Singleton_a1_1", "7", "7", "Singleton_a2_1", "7"]
    assert len({mention.id for mention in found}) == 6


def test_a_mention_goes_on_over_a_line_end(tmp_path: Path) -> None:
    (_, _, body) = mentions(tmp_path, GVC.replace("long\tBODY", "NEWLINE\tBODY"))
    assert body.text[body.start : body.end] == "The parade"


def test_several_chains_stand_in_one_cell(tmp_path: Path) -> None:
    found = mentions(tmp_path, GVC.replace("\t(7\n", "\t(7|(8)\n"))
    said = {mention.cluster: mention.text[mention.start : mention.end] for mention in found[2:]}
    assert said == {"7": "The long parade", "8": "The"}


def test_the_verbose_file_says_incident_and_type(tmp_path: Path) -> None:
    rows = []
    for row in GVC.splitlines():
        *cells, chain = row.split("\t")
        more = "31.PARADE.band" if chain in ("(7)", "(7", "7", "7)") else "-"
        rows.append("\t".join([*cells, more, chain]) if cells else row)
    path = tmp_path / "verbose.conll"
    path.write_text("\n".join(rows) + "\n")
    assert of_file(path).name == "gvc"
    (first, other, _) = (mention for _, mention in read(path))
    assert (first.event_type, first.meta["topic"]) == ("PARADE", "31")
    assert first.meta["verbose"] == "31.PARADE.band"
    assert other.event_type == "" and "topic" not in other.meta


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("parade\tBODY\t7)", "parade\tBODY\t8)", 8, r"8\) closes or goes on with what is not open"),
        ("\t(0)", "\t0", 4, "0 closes or goes on with what is not open"),
        ("parade\tBODY\t7)", "parade\tBODY\t-", 6, r"\(7 is not closed"),
        ("\t(0)", "\t(x)", 4, r"'\(x\)' is no chain"),
        ("NEWLINE\tTITLE\t-", "NEWLINE\tTITLE\t(9)", 5, r"\(9 has no words"),
        ("ended\tBODY\t-", "ended\tBODY", 9, "not an id, a token"),
        ("ended\tBODY", "ended\tFOOT", 9, "not an id, a token"),
        ("a1.b1.4", "a1-4", 9, "the token's id is not as NAME.b1.2"),
        ("#end document\n", "", 1, "cut off within document a1"),
        ("a1.b1.1", "#begin document (b);\na1.b1.1", 6, "a document begins in another"),
        ("#begin document (a1);\n", "", 1, "a line outside a document"),
    ],
)
def test_what_is_refused(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in GVC
    with pytest.raises(DataError, match=message) as caught:
        mentions(tmp_path, GVC.replace(old, new, 1))
    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / "gold.conll")
