"""What is left of a text without the sentences of copies."""

from __future__ import annotations

import json
from pathlib import Path

from corefmill.builders.overlap.copies import CopySettings, wanted
from corefmill.builders.overlap.removal import documents, kept
from corefmill.builders.runner.stages import Context
from tests.builders.overlap.made import shards

ITEM = "Ann called Eve at noon because she had not heard from her for a whole week."


def test_sentences_of_copies_go_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "00000.paragraphs.jsonl"
    records = [["It rained.", ITEM, "He slept."], [ITEM], ["They left."]]
    path.write_text(
        "".join(json.dumps({"title": "book", "sentences": one}) + "\n" for one in records)
    )
    context = Context(0, 0)
    left = list(kept(wanted([ITEM], CopySettings()), iter([path]), context))
    assert [out.record["text"] for out in left] == ["It rained. He slept.", "They left."]


def test_documents_are_whole_again(tmp_path: Path) -> None:
    files = shards(tmp_path, [["It rained.", ITEM], ["They left."]], [[ITEM]])
    made = list(documents(wanted([ITEM], CopySettings()), files, tmp_path, 1))
    assert [one["text"] for one in made] == ["It rained.\n\nThey left."]
    assert not list(tmp_path.glob("removal-*"))
