"""The failures that a review found, by its numbers, each as one attack or more."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace

from tests.attacks.attack import (
    DONE,
    EITHER,
    FOUND,
    REFUSED,
    After,
    Attack,
    Conditions,
    Place,
    Result,
    Setup,
    line,
)
from tests.attacks.formats import HUGE
from tests.attacks.seeds import PERSON, QUAKE, STEPS
from tests.attacks.slots import READ, TEXT, WHOLE, WRITERS, S, W
from tests.builders.wiki.dump.dump_writer import dump, page

KNOWN: dict[str, str] = {
    **{f"overwrite/{slot}/working-folder": "1" for slot in ("knowref", "wec", "wikicrem")},
    "overwrite/export/file": "2",
    **{
        f"overwrite/{slot}/{kind}": "3"
        for slot, kind in (
            ("release", "file"),
            ("import", "folder"),
            ("overlap", "folder"),
            ("evaluate-answers", "file"),
        )
    },
    "model files/encoder/config.json/auto-map": "4",
    "model files/evaluate/config.json/auto-map": "4",
    **{
        f"injection/manifest/{use}/{change}": "5"
        for use, change in (
            ("import", "split-up"),
            ("export", "split-up"),
            ("like", "split-up"),
            ("check", "file-up"),
        )
    },
    "injection/mode/output-file": "6",
    "injection/mode/tagger": "6",
    "injection/sheets/export/formula": "7",
    "injection/masked/answers/formula": "7",
    "injection/events/stats/escape": "8",
    "injection/documents/score/escape": "8",
    "injection/manifest/check/file-escape": "8",
    "determinism/ontonotes-it/workers-2": "9",
    "kill -9/ontonotes-it/0.3": "9",
    "resume & concurrency/wikicrem/train.jsonl/cut": "10a",
    **{f"full disk/{slot}/no-room": "11" for slot in WRITERS},
    "full disk/wec/200k": "11",
    "full disk/stats/stdout-full": "11",
    "full disk/knowref/file-limit-1000": "11",
    **{
        f"read-only output/{slot}": "12"
        for slot in ("convert", "export", "parse", "predict", "check-fix", "wec")
    },
    "file system/wec/question": "13",
    "file system/wec/percent": "13",
    "file system/wec/not-utf-8": "14",
    "paths/data-dir/below-file": "20",
    **{f"paths/{slot}/{kind}": "21" for slot in ("stats", "check") for kind in ("null", "zero")},
    "model files/evaluate/model.safetensors/folder": "22",
    "file system/coref/long": "22",
    "file system/coref/below-proc": "22",
    "resume & concurrency/train/log.csv/not-utf-8": "22",
    **{
        f"paths/{slot}/folder-of-fifos": "23"
        for slot in ("check", "stats", "coref-corpus", "ontonotes-source")
    },
    "paths/import-answers/zero": "24",
    "paths/coref-corpus/zero": "24",
    "model files/encoder/config.json/layers": "28",
    "user error/environment-0/stats": "30",
    "file system & signals/pipe/check": "31",
    "file system & signals/pipe/corpora": "31",
    "download/two-at-once": "32",
    "user error/wikicrem/--lang/up": "33",
    "file system & signals/parse/term-0.06": "34",
    "file system & signals/coref/term-0.25": "34",
}
"""Attacks of other classes that repeat a failure, by their names."""


def _other_middle(place: Place) -> None:
    """A finished corpus whose dump has changed in its middle since, as long as it was."""
    filler = [page(f"F {n}", "Nobody came. " * 20_000, number=10 + n) for n in range(10)]
    pages = [*filler[:5], page("Ann Lee", PERSON * 3, number=2), *filler[5:]]
    place.put("d.xml", dump(pages))
    place.run(line(f"build wec --dump d.xml --event-list {S}/events.tsv --out out {W}"))
    path = place.at / "d.xml"
    path.write_bytes(path.read_bytes().replace(b"struck the town", b"shook all  town"))


def _noticed(place: Place, result: Result) -> str:
    return "" if result.code == 2 else "the corpus of another dump is taken for this one's"


def _cache_file(place: Place) -> None:
    place.put("cf", "x")


def _wide(place: Place) -> None:
    place.put("a.conll", f"#begin document (a); part 000\na\t0{chr(9) * 40_000_000}\n")


def _many_links(place: Place) -> None:
    link = "[[1974 Brannock earthquake|quake]] and "
    quake = page("1974 Brannock earthquake", QUAKE, number=2)
    place.put("d.xml", dump([page("Ann Lee", link * 100_000), quake]))


def _long_genre(place: Place) -> None:
    row = {"doc_key": "a" * 3000 + "!", "sentences": [["A", "b"]], "clusters": []}
    place.put("g.jsonl", json.dumps({**row, "clusters": [[[0, 0], [1, 1]]]}) + "\n")


def _toml(place: Place) -> None:
    place.put("deep.toml", "a=" + "[" * 20_000)


def _ecb(row: str, number: str) -> Setup:
    def setup(place: Place) -> None:
        folder = place.seeds / "formats" / "ecbplus"
        text = (folder / "1_1ecb.xml").read_text()
        place.put("ecb/1_1ecb.xml", text.replace('sentence="0"', f'sentence="{number}"'))
        place.put("ecb/ECBplus_coreference_sentences.csv", f"Topic,File,Sentence Number\n{row}\n")

    return setup


def _no_split(place: Place) -> None:
    shutil.copytree(place.seeds / "wikicrem", place.at / "in")
    (place.at / "in" / "train.jsonl").rename(place.at / "in" / "Uncontrolled.jsonl")
    path = place.at / "in" / "manifest.json"
    whole = {**json.loads(path.read_text("utf-8")), "splits": {"Uncontrolled": 19}, "files": {}}
    path.write_text(json.dumps(whole), "utf-8")


def _named(content: str, name: bytes) -> Setup:
    def setup(place: Place) -> None:
        shutil.copy(place.seeds / content, place.at / os.fsdecode(name))

    return setup


def _suggests(word: str) -> After:
    def after(place: Place, result: Result) -> str:
        return "" if word in result.text else f"{word} is not suggested"

    return after


def _says_out(place: Place, result: Result) -> str:
    return "names a folder of its own" if "passes" in result.text else ""


def _no_absolute(place: Place, result: Result) -> str:
    held = (place.at / "out" / "overlap.json").read_text("utf-8")
    return "overlap.json holds the absolute --out" if str(place.base) in held else ""


def _no_nonsense(place: Place, result: Result) -> str:
    return "advises to download a path" if "spacy download" in result.text else ""


T30 = "9" * 30
CAFE = os.fsdecode(b"caf\xe9.txt")
NEWS = f"build ontonotes-it --source {S}/news.conll"
COREF = f"train coref --corpus {S}/masked {STEPS}"

OWN: tuple[Attack, ...] = tuple(
    Attack(
        group="the 37",
        name=f"{number}-{name}",
        number=number,
        argv=argv if isinstance(argv, tuple) else line(argv),
        setup=setup or (lambda place: None),
        codes=right,
        after=after or (lambda place, result: ""),
        conditions=conditions or Conditions(),
        needs="apertium" if "ontonotes-it" in argv else "",
    )
    for number, name, argv, right, setup, after, conditions in (
        ("10", "middle", f"build wec --dump d.xml --event-list {S}/events.tsv --out out {W}",
         EITHER, _other_middle, _noticed, None),
        ("14", "text", (*line(f"build knowref --out out {W} --text"), CAFE),
         EITHER, _named("tales.txt", b"caf\xe9.txt"), None, None),
        ("14", "parquet", ("corefmill", "stats", os.fsdecode(b"p\xff.masked.parquet")),
         EITHER, _named("formats/parquet-masked/a.masked.parquet", b"p\xff.masked.parquet"),
         None, None),
        ("14", "source", (*line(f"build ontonotes-it --out out {W} --source"),
                          os.fsdecode(b"c\xff.conll")),
         EITHER, _named("news.conll", b"c\xff.conll"), None, None),
        ("15", "config", f"{COREF} --config deep.toml --out out", REFUSED, _toml, None, None),
        ("15", "infoboxes", f"build wec --dump {S}/small.xml --infoboxes deep.toml --out out {W}",
         REFUSED, _toml, None, None),
        ("16", "number", "corefmill stats ecb --from ecbplus", REFUSED,
         _ecb("1,1ecb,0", HUGE), None, None),
        ("16", "table", "corefmill check ecb", FOUND, _ecb(f"1,1ecb,{HUGE}", "0"), None, None),
        ("16", "field", "corefmill check ecb", FOUND,
         _ecb(f"1,{'x' * 3_000_000},0", "0"), None, None),
        ("17", "seed", f"{COREF} --seed {T30} --out out", REFUSED, None, None, None),
        ("17", "lora", f"{COREF} --set lora=99999999 --out out", REFUSED,
         None, None, None),
        ("18", "split", f"corefmill evaluate --model {S}/model-masked --corpus in", REFUSED,
         _no_split, None, None),
        ("19", "stdin", f"build knowref --dump - --out out {W}", REFUSED, None, None,
         Conditions(stdin=None)),
        ("20", "cache", f"{NEWS} --translator apertium --cache cf --out out {W}", REFUSED,
         _cache_file, None, None),
        ("25", "links", f"build wec --dump d.xml --out out {W}", EITHER, _many_links, None, None),
        ("26", "tabs", "corefmill stats a.conll", REFUSED, _wide, None, None),
        ("26", "tabs-convert", "corefmill convert a.conll out.jsonl", REFUSED, _wide, None, None),
        ("27", "genre", ("corefmill", "score", "g.jsonl", "g.jsonl", "--by", "genre",
                         "--genre", "(a+)+$"), EITHER, _long_genre, None, None),
        ("29", "ray", f"build knowref --text {S}/tales.txt --executor ray"
         f" --out out {W}", REFUSED, None, None, Conditions(env={"RAY_ADDRESS": "127.0.0.1:9"})),
        ("30", "locale", f"{NEWS} --limit 1 --translator apertium --out out {W}", DONE,
         None, None, Conditions(env={"LC_ALL": "it_IT.UTF-8"}, program=True)),
        ("33", "lang", f"build wikicrem --text {TEXT} --lang ../../etc --out out {W}", REFUSED,
         None, _no_nonsense, None),
        ("35", "preset", f"{COREF} --preset papper --out out", REFUSED,
         None, _suggests("paper"), None),
        ("35", "translator", f"{NEWS} --translator apertum --out out {W}", REFUSED, None,
         _suggests("apertium?"), None),
        ("35", "without", f"build wikicrem --text {TEXT} --without one_name --out out {W}", REFUSED,
         None, None, None),
        ("36", "interrupted", f"build wec --dump {S}/dump.xml --out out --workers 1", (0, 130),
         None, _says_out, Conditions(signal=signal.SIGINT, delay=0.25)),
        ("37", "overlap", READ["overlap-test"].replace("IN", WHOLE["overlap-test"]), DONE, None,
         _no_absolute, None),
    )
)  # fmt: skip


def attacks(others: list[Attack]) -> Iterator[Attack]:
    """The numbered ones as a class of their own; raises `KeyError` for a name that is none."""
    by_name = {attack.id: attack for attack in others}
    for name, number in KNOWN.items():
        one = by_name[name]
        yield replace(one, group="the 37", name=f"{number}-{name}", number=number)
    yield from OWN
