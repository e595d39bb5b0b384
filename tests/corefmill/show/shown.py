"""A translated document, a corpus that was built, and text of anybody's, to be shown."""

from __future__ import annotations

import json
from pathlib import Path

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, Mention, Record, Sentence, Token
from tests.builders.corpus.finished import example
from tests.corefmill.dumps import make_manifest

EVIL = "</script><script>document.title='OWNED'</script> <b>\u202eevil\u202c \x1b[31m\0 👩‍👧 ]]>"

ITALIAN = Document(
    "tale",
    0,
    "it",
    (
        Sentence((Token("Lui"), Token("parla"), Token(".", space_after=False)), "Ann"),
        Sentence((Token("Viene"), Token("da"), Token("la"), Token("casa"), Token("."))),
    ),
    ((Mention(0, 0, 1), Mention(1, 0, 0, zero=True)), (Mention(1, 2, 4),)),
    {
        "corefud": {"sentences": {"1": {"multiword": {"2-3": "dalla"}}}},
        "ontocorefit": {
            "utterances": {
                "1": {
                    "original_text": "Lei viene da la casa .",
                    "modified_text": "Viene dalla casa .",
                    "changes": [
                        {
                            "rule": "subject-deletion",
                            "start": 0,
                            "end": 1,
                            "before": "Lei",
                            "after": "",
                        }
                    ],
                    "weight": 0.25,
                }
            }
        },
        "english": [
            {"text": "He speaks.", "tokens": ["He", "speaks", "."], "mentions": [[0, 0, 1, 0, 1]]},
            {
                "text": "She comes from the house.",
                "tokens": ["She", "comes", "from", "the", "house", "."],
                "mentions": [[1, 3, 5, 2, 4]],
            },
        ],
    },
)


def built(folder: Path, *records: Record, schema: str = "masked-example/1") -> Path:
    """A corpus with a manifest and what was left out of it; of four examples, if not of others."""
    records = records or tuple(
        example(number, article=number, gender="female" if number else "male")
        for number in range(4)
    )
    folder.mkdir(parents=True)
    jsonl.write(folder / "train.jsonl", records[1:])
    jsonl.write(folder / "validation.jsonl", records[:1])
    (folder / "rejects.json").write_text(
        json.dumps({"input": {}, "draft": {"too_long": 1, "quoted": 2, "uncounted": 3}})
    )
    rejects = [
        (
            "quoted",
            {"title": "A wall", "text": f"He said Ann. {EVIL}", "answer": "Ann", "start": 8},
        ),
        ("quoted", {"title": "B", "text": "She said it.", "pronoun": [0, 3], "others": ["Bob"]}),
        ("too_long", jsonl.as_json(records[0])),
        ("uncounted", None),
    ]
    lines = (json.dumps({"reason": name, "record": record}) + "\n" for name, record in rejects)
    (folder / "rejects.jsonl").write_text("".join(lines))
    parts = {"builder": "wikicrem", "options": {"filters": ["length"], "mode": "clean"}}
    sizes = {"train": len(records) - 1, "validation": 1}
    more = {"versions": {"corefmill": "1"}, "build": {"parts": parts}, "warnings": ["it is small"]}
    made = make_manifest("mill-en", schema, sizes, **more)
    manifest.write(folder, made)
    return folder
