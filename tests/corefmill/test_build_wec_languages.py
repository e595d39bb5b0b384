"""`build wec --lang en,it --links FILE` as a user gives it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import manifest
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page
from tests.commands import command, script
from tests.corefmill.dumps import contents, error_line
from tests.waiting import running, wait_until

ENGLISH = {
    "1931 Orla flood": "{{Infobox flood\n| location = Orla\n| date = 1931\n}}\nIt rained.",
    "1907 Vesk earthquake": "{{Infobox earthquake\n| location = Vesk\n| date = 1907\n}}\nIt shook.",
    "Orla": "The mill was rebuilt twenty years after the [[1931 Orla flood|great flood of 1931]],"
    " which had carried off the bridge, the school and half of the market square.",
    "Ugo Tarri": "He lost his workshop in the [[1931 Orla flood|1931 Orla flood]] and moved to the"
    " hills above the town, where he painted doors for the rest of his long life.",
    "Vesk": "The tower collapsed in the [[1907 Vesk earthquake|earthquake of 1907]] and nobody in"
    " the town had the money to put it up again before the end of the century.",
}
ITALIAN = {
    "Alluvione di Orla del 1931": "{{Incidente\n|tipo = alluvione\n|luogo = Orla\n|data = 1931\n}}"
    "\nPiovve.",
    "Terremoto di Vesk del 1907": "{{Terremoto\n|luogo = Vesk\n|data = 1907\n}}\nTremò.",
    "Orla": "Il mulino fu ricostruito vent'anni dopo l'[[Alluvione di Orla del 1931|alluvione del"
    " 1931]], che aveva portato via il ponte, la scuola e metà della piazza del mercato.",
    "Vesk": "La torre crollò durante il [[Terremoto di Vesk del 1907|terremoto del 1907]] e nessuno"
    " in paese ebbe il denaro per rialzarla prima della fine del secolo.",
}
ITEMS = "it\tAlluvione di Orla del 1931\tQ31\nen\t1931_Orla_flood\tQ31\n"
BOTH = ("--lang", "en,it", "--dump", "en=a.xml", "--dump", "itwiki-b.xml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two small dumps, a list of items, and the English wiki's language links."""
    pages = [page(title, text, number=n) for n, (title, text) in enumerate(ENGLISH.items(), 1)]
    (tmp_path / "a.xml").write_bytes(dump(pages))
    header = HEADER.replace('lang="en"', 'lang="it"').replace("enwiki", "itwiki")
    pages = [page(title, text, number=n) for n, (title, text) in enumerate(ITALIAN.items(), 1)]
    (tmp_path / "itwiki-b.xml").write_bytes(dump(pages).replace(HEADER.encode(), header.encode()))
    (tmp_path / "items.tsv").write_text(ITEMS, encoding="utf-8")
    row = "(2,'it','Terremoto di Vesk del 1907')"
    (tmp_path / "enwiki-langlinks.sql").write_text(f"INSERT INTO `langlinks` VALUES {row};\n")
    return tmp_path


def wec(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command("build", "wec", "--quiet", *arguments, cwd=cwd)


def mentions(out: Path) -> list[dict[str, Any]]:
    found = []
    for split in ("train", "dev", "test"):
        lines = (out / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
        found += [{**json.loads(line), "split": split} for line in lines]
    return found


def test_one_event_is_one_cluster_in_both_languages(folder: Path) -> None:
    links = ("--links", "items.tsv", "--links", "enwiki-langlinks.sql")
    one = wec(*BOTH, *links, "--out", "one", "--workers", "1", "--validation", "0", cwd=folder)
    assert one.returncode == 0, one.stderr
    found = mentions(folder / "one")
    assert {(m["cluster"], m["lang"], m["cluster_title"]) for m in found} == {
        ("Q31", "en", "1931 Orla flood"),
        ("Q31", "it", "Alluvione di Orla del 1931"),
        ("enwiki-2", "en", "1907 Vesk earthquake"),
        ("enwiki-2", "it", "Terremoto di Vesk del 1907"),
    }
    assert {m["id"].split("-")[0] for m in found if m["lang"] == "it"} == {"itwiki"}
    splits: dict[str, set[str]] = {}
    for mention in found:
        splits.setdefault(mention["cluster"], set()).add(mention["split"])
    assert all(len(own) == 1 for own in splits.values())

    made = manifest.read(folder / "one")
    assert (made.name, made.lang) == ("wec-en-it", "en,it")
    assert made.counts["clusters_by_languages"] == {"2": {"clusters": 2, "mentions": len(found)}}
    assert set(made.counts["languages"]) == {"en", "it"}
    card = (folder / "one/README.md").read_text(encoding="utf-8")
    assert "| itwiki | 2 | 1 | 2 | 2 | 2 |" in card
    assert "by items.tsv, enwiki-langlinks.sql" in card


def test_of_one_language_clusters_are_called_by_their_items(folder: Path) -> None:
    options = ("--dump", "a.xml", "--links", "items.tsv", "--out", "out", "--workers", "1")
    done = wec(*options, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert {m["cluster"] for m in mentions(folder / "out")} == {"Q31", "enwiki-2"}
    other = folder / "items.tsv"
    other.write_text(ITEMS.replace("Q31", "Q32"), encoding="utf-8")
    said = error_line(wec(*options, cwd=folder))
    assert "holds a finished corpus: inputs: items.tsv changed (--overwrite" in said


@pytest.mark.thorough
def test_killed_amid_the_dumps_and_their_joins_and_resumed(folder: Path) -> None:
    """And two workers, which end it, give the bytes of the one that makes it in one go."""
    options = (*BOTH, "--links", "items.tsv", "--validation", "0", "--quiet")
    whole = wec(*options, "--out", "whole", "--workers", "1", cwd=folder)
    assert whole.returncode == 0, whole.stderr
    out = folder / "out"
    passes = out / ".corefmill/passes"

    def killed(workers: str, due: Callable[[], bool]) -> None:
        start = (script("build"), "wec", *options, "--out", "out", "--workers", workers)
        with running(*start, cwd=folder) as process:
            wait_until(lambda: due() or process.poll() is not None, "the command is to be killed")

    for _ in range(10):
        killed("2", (passes / "it").exists)  # the first dump is done, the second is not
        killed("1", lambda: any(out.glob(".corefmill/work/*/0*.json")))
        if not (out / "manifest.json").exists():
            break
        shutil.rmtree(out)  # it was faster than the kill
    else:
        pytest.fail("the command was never caught midway")
    done = wec(*options, "--out", "out", "--workers", "2", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(out) == contents(folder / "whole")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (BOTH, "--lang en,it needs --links"),
        (
            (*BOTH, "--links", "items.tsv", "--limit", "3"),
            "--limit works with one language only",
        ),
        ((*BOTH, "--dump", "it=c.xml", "--links", "items.tsv"), "--dump is given twice for it"),
        (
            ("--lang", "en,it", "--dump", "a.xml", "--links", "items.tsv"),
            "--dump a.xml does not say its language (--dump en=a.xml)",
        ),
        (
            (*BOTH, "--links", "items.tsv", "--infoboxes", "x.toml"),
            "x.toml does not say its language",
        ),
        (
            ("--list-infoboxes", "--dump", "a.xml", "--links", "items.tsv"),
            "--links has no effect with --list-infoboxes, which builds no corpus",
        ),
        (("--lang", "en,en"), "names a language twice"),
        (("--lang", "en,,", "--links", "none.tsv", "--dump", "a.xml"), "none.tsv"),
        (
            ("--lang", "it,en", "--dump", "it=a.xml", "--dump", "en=a.xml", "--links", "items.tsv"),
            "its language is 'en', not 'it'",
        ),
    ],
)
def test_what_does_not_fit(folder: Path, options: tuple[str, ...], message: str) -> None:
    assert message in error_line(wec(*options, cwd=folder))
