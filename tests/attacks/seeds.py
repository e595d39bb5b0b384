"""Makes what the attacks start from: a file of every format, small corpora, models and texts."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from corefmill import corpora
from corefmill.annotate import judgements
from corefmill.annotate.store import MAIN, JudgementStore
from corefmill.builders.wec import facts
from corefmill.corpora import find
from corefmill.corpora.formats.registry import FORMATS
from tests.attacks.harness import Result
from tests.builders.translate.conll import NEWS, TALK
from tests.builders.wiki.dump.dump_writer import dump, page
from tests.corefmill.dumps import sample_pages
from tests.corefmill.trained import documents, examples, folder, mentions
from tests.corpora.formats.test_every_format import lay

PROBLEMS = """\
Ann could not lift her son because he was so heavy.
he
Ann,her son
her son

Bob scolded Tom after he had broken the old window.
he
Bob,Tom
Tom

"""
PERSON = (
    "'''Ann Lee''' (born 1950) is a writer. Ann Lee met Bob Stone in Paris because Ann Lee wanted"
    " to see the town. Bob Stone said that he would go. The [[1974 Brannock earthquake|quake]]"
    " struck the town and killed many people of [[Brannock]].\n"
)
QUAKE = (
    "{{Infobox earthquake\n| date = 5 May 1974\n| location = [[Brannock]]\n}}\n"
    "The '''1974 Brannock earthquake''' struck Brannock on 5 May 1974.\n"
)
STEPS = "--encoder tiny --set max_steps=1 --set evaluate_every=1 -q"


def make(at: Path, run: Callable[[Sequence[str]], Result], calls: Sequence[str]) -> None:
    """Fill the empty folder `at`; `run` runs a command line in it.

    Raises `RuntimeError` where a command that is needed for it fails.
    """
    for name in FORMATS:
        (at / "formats" / name).mkdir(parents=True)
        lay(at / "formats" / name, name)
    folder(at / "masked", examples(6), examples(4))
    folder(at / "events", mentions(8), mentions(8))
    folder(at / "documents", documents(3), documents(2))
    sample = Path(corpora.__file__).parent / "sample"
    shutil.copy(sample / "tales" / "en.txt", at / "tales.txt")
    shutil.copy(Path(facts.__file__).parent / "infoboxes" / "en.toml", at / "infoboxes.toml")
    tales = (at / "tales.txt").read_text(encoding="utf-8")
    text = {
        "story.txt": "Ann could not lift her son because he was so heavy. Nobody came.\n",
        "problems.txt": PROBLEMS,
        "answers.csv": "id,correct\nproblems-1,1\nproblems-2,0\n",
        "news.conll": NEWS + TALK,
        "news-2.conll": NEWS + TALK,
        "events.tsv": "1974 Brannock earthquake\tQ7944\n",
        "crlf.txt": "Anna met Bob. [MASK] left.\r\n[MASK]\r\nAnna,Bob\r\nAnna\r\n\r\n",
        "settings.toml": "clip = 2.0\n",
        "templates.toml": 'coin = "{1} crowns"\n',
        "pairs.tsv": "Nobody came.\tNon venne nessuno.\n",
        "reddit.jsonl": json.dumps({"id": "a", "body": tales, "subreddit": "x"}) + "\n",
        "subtitles.txt": "Ann Lee met Bob Stone because she wanted to.\nBob left.\n",
    }
    for name, content in text.items():
        (at / name).write_bytes(content.encode())
    pages = [page("Ann Lee", PERSON, number=2), page("1974 Brannock earthquake", QUAKE, number=3)]
    pages.append(page("A tale", tales, number=4))
    (at / "small.xml").write_bytes(dump(pages))
    (at / "dump.xml").write_bytes(dump([*pages, *sample_pages()[:6]]))
    for call in calls:
        done = run(call.split())
        if done.code:
            raise RuntimeError(f"{call} ended with {done.code}: {done.text}")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(at / "socket"))
    if list(calls) != list(CALLS):
        return
    _answers(at)
    rows = (at / "wikicrem" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(row)["text"] for row in rows[:10]]
    (at / "persons.txt").write_text("\n\n".join(found), encoding="utf-8")


CALLS = (
    f"train coref --corpus masked {STEPS} --out model-masked",
    f"train coref --corpus events {STEPS} --out model-events",
    f"train coref --corpus documents {STEPS} --out model-documents",
    "make-encoder encoder",
    "build knowref --text tales.txt --workers 1 -q --out knowref",
    "build wikicrem --dump dump.xml --workers 1 -q --out wikicrem",
    "build wec --dump dump.xml --workers 1 -q --out wec",
    "corefmill annotate export documents --to inception --out inception -q",
)
"""What makes corpora and models."""


def make_encoder() -> None:
    """Writes the tiny encoder into the folder that the command line names, as Hugging Face does."""
    from corefmill.coref_model.encoder import names

    names.make_tiny_network().save_pretrained(sys.argv[1])
    names.make_tiny_tokenizer().save_pretrained(sys.argv[1])


def _answers(at: Path) -> None:
    """The file of the pages as raters fill it: mostly the first candidate."""
    corpus = find.open_corpus(at / "knowref")
    facts = {"corpus": corpus.name, "fingerprint": find.fingerprint(corpus)}
    with JudgementStore.make(at / "answers.sqlite", facts) as kept:
        for number, example in enumerate(find.records(corpus, "train")):
            for rater in ("ann", "ben", "cat"):
                name = example.candidates[number % 2 if rater == "cat" else 0]
                kept.add(rater, MAIN, example.id, "answer", name)
        judgements.write(at / "judgements.jsonl", judgements.read_stored(kept, MAIN))
