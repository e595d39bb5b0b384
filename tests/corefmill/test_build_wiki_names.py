"""`--nlp wiki`: corpora in languages that have no pipeline, from dumps written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import manifest
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page
from tests.commands import command, json_result
from tests.corefmill.dumps import error_line

ROMANIAN = HEADER.replace('xml:lang="en"', 'xml:lang="ro"').replace(">Category<", ">Categorie<")
GEORGIAN = HEADER.replace('xml:lang="en"', 'xml:lang="ka"').replace(">Category<", ">კატეგორია<")

FESTIVAL = "[[Festivalul Varai 1901|Festivalul Varai 1901]]"
# Maria Voinea has no page: the given name tells.
PAGES = (
    page(
        "Vasco Dragomir", "'''Vasco Dragomir''' a scris.\n[[Categorie:Nașteri în 1871]]", number=1
    ),
    page("Dragomir", "#REDIRECT [[Vasco Dragomir]]", number=3),
    page(
        "Varai",
        "'''Varai''' este satul unde [[Vasco Dragomir]] și [[Maria Voinea]] au lucrat.\n\n"
        "În iarna aceea Dragomir i-a cerut ajutor lui Voinea, dar pe urmă Dragomir a plecat"
        f" singur spre munte.\n\nÎn sat a avut loc mai apoi {FESTIVAL}, la care au venit mulți.",
        number=4,
    ),
    page(
        "Munte",
        f"La munte a ajuns vestea că {FESTIVAL} a fost amânat din pricina ploii de vară.",
        number=5,
    ),
)
EVENTS = "Festivalul Varai 1901\tmusic festival\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the dumps of two wikis, and a list of events."""
    (tmp_path / "ro.xml").write_bytes(dump(PAGES, ROMANIAN))
    georgian = (
        page("ილია დადიანი", "'''ილია დადიანი''' (5 მაისი, 1813 — 11 ივნისი, 1855).", number=1),
        page("ნინო აბაშიძე", "'''ნინო აბაშიძე''' (5 მაისი, 1823 — 11 ივნისი, 1895).", number=2),
        page(
            "სოფელი",
            "აქ [[ილია დადიანი]] და [[ნინო აბაშიძე]] ცხოვრობდნენ.\n\nიმ ზამთარს დადიანი"
            " დიდხანს ელოდა როდის მოვიდოდა აბაშიძე ქალაქიდან და მერე დადიანი მარტო წავიდა.",
            number=3,
        ),
    )
    (tmp_path / "ka.xml").write_bytes(dump(georgian, GEORGIAN))
    (tmp_path / "events.tsv").write_text(EVENTS)
    return tmp_path


def build(kind: str, lang: str, folder: Path, *more: str, out: str = "out", workers: str = "1"):  # type: ignore[no-untyped-def]
    """Runs a build with the wiki's names."""
    given = ("--dump", f"{lang}.xml", "--nlp", "wiki", "--out", out, "--workers", workers)
    return command("build", kind, "--lang", lang, *given, *more, cwd=folder)


@pytest.mark.parametrize(
    ("lang", "answer"),
    [pytest.param("ro", "Dragomir", marks=pytest.mark.thorough), ("ka", "დადიანი")],
)
def test_masked_names(folder: Path, lang: str, answer: str) -> None:
    done = build("wikicrem", lang, folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1] == "Names by: the wiki's own titles and links."
    assert "entities (--nlp wiki) these filters have no effect: modified" in done.stderr
    (record,) = manifest.records(folder / "out", "train")
    assert record.answer == answer  # type: ignore[union-attr]
    card = (folder / "out" / "README.md").read_text()
    assert "| Names by | the wiki's own titles and links |" in card
    assert "Scores of the pipeline" not in card
    assert "without tags, trees or entities (--nlp wiki) these filters have no effect" in card


def test_events(folder: Path) -> None:
    done = build("wec", "ro", folder, "--event-list", "events.tsv", "--json")
    assert done.returncode == 0, done.stderr
    assert json_result(done.stdout)["mentions"] == 2
    card = (folder / "out" / "README.md").read_text()
    assert "the last word is the head" in card
    assert "named_entity" in card.partition("Filters that cannot work here")[2].splitlines()[0]


def test_a_list_of_persons_adds_to_those_of_the_dump(folder: Path) -> None:
    (folder / "ro.xml").write_bytes(dump(PAGES[1:], ROMANIAN))
    assert "no example was found" in error_line(build("wikicrem", "ro", folder, "--quiet"))
    (folder / "list").write_text("Vasco_Dragomir\n")
    done = build("wikicrem", "ro", folder, "--persons", "list", "--quiet", "--overwrite")
    assert done.returncode == 0, done.stderr
    assert len(list(manifest.records(folder / "out", "train"))) == 1


def test_a_dump_without_persons_says_what_helps(folder: Path) -> None:
    (folder / "ro.xml").write_bytes(dump(PAGES[3:], ROMANIAN))
    line = error_line(build("wikicrem", "ro", folder, "--quiet"))
    assert "no article of this dump shows that it is about a person" in line
    assert "--persons FILE" in line


def test_a_language_without_a_pipeline_is_told_of_it(folder: Path) -> None:
    done = command("build", "wikicrem", "--lang", "ro", "--dump", "ro.xml", "-q", cwd=folder)
    assert "--nlp wiki" in error_line(done)
    done = command("corefmill", "models", "list", "--lang", "ro", cwd=folder)
    assert "--nlp wiki" in done.stdout
