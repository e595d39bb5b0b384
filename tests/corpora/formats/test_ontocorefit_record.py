from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.formats import ontocorefit
from corefmill.corpora.formats.ontocorefit import Coref, RecordedChange, records
from corefmill.corpora.records import Document, Mention, Sentence, Token

# Figure 10 of the paper: the pronoun goes, its mention moves to the verb.
FIGURE_10 = {
    "original_text": "Esso era facile",
    "modified_text": "Era facile",
    "tokens_old": ["Esso", "era", "facile"],
    "corefs_old": [{"start": 0, "end": 0, "label": 0}],
    "readability": 79.26,
    "deleted": True,
    "rewritten": False,
    "shifted": True,
    "changes": [{"rule": "deletion", "start": 0, "end": 1, "before": "Esso", "after": ""}],
}


def document(utterances: Any) -> Document:
    tokens = (Token("Era"), Token("facile"))
    return Document(
        "d",
        0,
        "it",
        (Sentence(tokens), Sentence(tokens)),
        ((Mention(0, 0, 1), Mention(1, 0, 1)),),
        {"ontocorefit": {"utterances": utterances}},
    )


def test_the_record_of_figure_10_goes_out_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    before = document({"0": FIGURE_10})
    ontocorefit.write(path, [before])
    ((_, after),) = ontocorefit.read(path, "it")
    assert after == before
    first, second = records(after)
    assert second is None
    assert first is not None
    assert (first.original_text, first.modified_text) == ("Esso era facile", "Era facile")
    assert (first.readability, first.deleted, first.rewritten) == (79.26, True, False)
    assert first.corefs_old == [Coref(start=0, end=0, label=0)]
    assert first.changes == [
        RecordedChange(rule="deletion", start=0, end=1, before="Esso", after="")
    ]


def test_no_record_and_other_keys_are_no_fault() -> None:
    assert records(Document("d", 0, "it", (Sentence(()),), ())) == (None,)
    found = records(document({"1": {"modified text": "Era facile"}}))[1]
    assert found is not None
    assert found.modified_text is None


@pytest.mark.parametrize(
    ("utterances", "message"),
    [
        ([], "is not an object"),
        ({"2": {}}, "utterance '2', which is not there"),
        ({"x": {}}, "utterance 'x', which is not there"),
        ({"0": 3}, "utterance 0: "),
        ({"0": {"readability": "79"}}, "utterance 0: readability: "),
        ({"0": {"readability": float("nan")}}, "utterance 0: readability: "),
        ({"0": {"corefs_old": [{"start": 0, "end": 0, "label": 0}]}}, "0 to 0 of 0 tokens"),
        ({"0": {"changes": [{"rule": "r"}]}}, r"utterance 0: changes\.0\.start: "),
    ],
)
def test_what_is_no_record(utterances: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        records(document(utterances))
