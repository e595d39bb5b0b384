"""What is left of a text without the sentences of copies."""

from __future__ import annotations

import json
from pathlib import Path

from corefmill.builders.overlap.copies import CHANNEL, CopySettings, wanted
from corefmill.builders.overlap.removal import documents, kept
from corefmill.builders.runner.stages import Context
from tests.builders.overlap.made import shards

ITEM = "Ann called Eve at noon because she had not heard from her for a whole week."


def test_sentences_of_copies_go_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "00000.paragraphs.jsonl"
    records = [["It rained.", ITEM, "He slept."], [ITEM], ["They left."]]
    path.write_text(
        "".join(
            json.dumps({"title": "book", "article": "text-1", "sentences": one}) + "\n"
            for one in records
        )
    )
    context = Context(0, 0)
    left = list(kept(wanted([ITEM], CopySettings()), iter([path]), context))
    assert [out.record["text"] for out in left] == ["It rained. He slept.", "They left."]


def test_documents_are_whole_again(tmp_path: Path) -> None:
    files = shards(tmp_path, [["It rained.", ITEM], ["They left."]], [[ITEM]])
    context = Context(0, 0)
    left = kept(wanted([ITEM], CopySettings()), iter([file.path for file in files]), context)
    made = list(documents(out.record for out in left))
    assert [one["text"] for one in made] == ["It rained.\n\nThey left."]
    told = [(out.channel, out.record["kind"], out.record["sentence"]) for out in context.outs]
    assert told == [(CHANNEL, kind, ITEM) for kind in ("gram", "near", "gram", "near")]


def test_neighbours_of_one_title_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "00000.paragraphs.jsonl"
    said = [("text-1", ["It rained."]), ("text-2", ["They left."]), ("text-2", ["He slept."])]
    records = [{"title": "book", "article": key, "sentences": own} for key, own in said]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    left = kept(wanted([ITEM], CopySettings()), iter([path]), Context(0, 0))
    made = list(documents(out.record for out in left))
    assert [one["text"] for one in made] == ["It rained.", "They left.\n\nHe slept."]


def test_where_a_script_has_no_blanks_none_are_put(tmp_path: Path) -> None:
    path = tmp_path / "00000.paragraphs.jsonl"
    record = {
        "title": "本",
        "article": "text-1",
        "sentences": ["下雨了。", "他走了。", "He slept."],
    }
    path.write_text(json.dumps(record))
    left = list(kept(wanted([ITEM], CopySettings()), iter([path]), Context(0, 0)))
    assert [out.record["text"] for out in left] == ["下雨了。他走了。 He slept."]
