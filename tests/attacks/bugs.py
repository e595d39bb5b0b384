"""Past bugs, each repeated by one attack or more."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
from pathlib import Path

from tests.attacks.commands import READ, TEXT, WHOLE, S, W
from tests.attacks.dumps import ESCAPE, FORMULA, HUGE
from tests.attacks.harness import (
    CHECKED,
    DONE,
    EITHER,
    PLAIN,
    REFUSED,
    After,
    Attack,
    Conditions,
    Place,
    Result,
    Setup,
    line,
)
from tests.attacks.seeds import PERSON, QUAKE, STEPS
from tests.attacks.situations import Damage, damage_copy
from tests.builders.wiki.dump.dump_writer import dump, page


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


def _put(name: str, content: str) -> Setup:
    return lambda place: place.put(name, content)


def _wide(place: Place) -> None:
    place.put("a.conll", f"#begin document (a); part 000\na\t0{chr(9) * 40_000_000}\n")


def _many_links(place: Place) -> None:
    link = "[[1974 Brannock earthquake|quake]] and "
    quake = page("1974 Brannock earthquake", QUAKE, number=2)
    place.put("d.xml", dump([page("Ann Lee", link * 100_000), quake]))


def _long_genre(place: Place) -> None:
    row = {"doc_key": "a" * 3000 + "!", "sentences": [["A", "b"]], "clusters": []}
    place.put("g.jsonl", json.dumps({**row, "clusters": [[[0, 0], [1, 1]]]}) + "\n")


def _ecb(row: str, number: str) -> Setup:
    def setup(place: Place) -> None:
        folder = place.seeds / "formats" / "ecbplus"
        text = (folder / "12_3ecb.xml").read_text()
        place.put("ecb/12_3ecb.xml", text.replace('sentence="0"', f'sentence="{number}"'))
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


def _shows(word: str, fault: str, *, wanted: bool = False) -> After:
    """The `fault` where a word is in the output, or where one that is `wanted` is not."""
    return lambda place, result: fault if (word in result.text) != wanted else ""


def _no_absolute(place: Place, result: Result) -> str:
    held = (place.at / "out" / "overlap.json").read_text("utf-8")
    return "overlap.json holds the absolute --out" if str(place.base) in held else ""


def _config(change: dict[str, object]) -> Damage:
    def damage(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
        (path.parent / "evil.py").write_text("open('PWNED', 'w').write('x')\nclass Evil: pass\n")

    return damage


def _no_code(place: Place, result: Result) -> str:
    return "code of a model folder was run" if any(place.base.rglob("PWNED")) else ""


def _manifest(change: dict[str, object]) -> Setup:
    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / "knowref", place.at / "in")
        path = place.at / "in" / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}))
        shutil.copy(place.at / "in" / "train.jsonl", place.at / "evilsplit.jsonl")

    return setup


def _rows(which: str, **fields: object) -> Setup:
    """Copy a corpus with other values in the fields of its records."""

    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / which, place.at / "in")
        for path in (place.at / "in").glob("*.jsonl"):
            rows = [json.loads(row) for row in path.read_text("utf-8").splitlines()]
            made = [
                row | {key: value for key, value in fields.items() if key in row and key != "id"}
                for row in rows
            ]
            for number, row in enumerate(made):
                row["id"] = f"{fields.get('id', row.get('id'))}{number}"
            path.write_text("".join(json.dumps(row) + "\n" for row in made))

    return setup


def _no_formula(place: Place, result: Result) -> str:
    """No cell of the written sheets is one that a spreadsheet computes."""
    for path in sorted(place.at.glob("out*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        if found := [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]:
            return f"a formula in {path.name}: {found[0][:20]!a}"
    return ""


def _mode(text: str) -> Setup:
    def setup(place: Place) -> None:
        victim = place.base / "theirs" / "mine.txt"
        place.put("ap/modes/en-it.mode", text.replace("VICTIM", str(victim)))

    return setup


T30, DEEP = "9" * 30, "a=" + "[" * 20_000
CAFE = os.fsdecode(b"caf\xe9.txt")
NEWS = f"build ontonotes-it --source {S}/news.conll"
COREF = f"train coref --corpus {S}/masked {STEPS}"
ENCODER = f"train coref --corpus {S}/masked --set max_steps=1 -q --out out"
EVIL: dict[str, object] = {
    "auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"},
    "model_type": "evil",
}
SPLIT: dict[str, object] = {"splits": {"../evilsplit": 1, "train": 31}}
YES = Conditions(stdin=b"y\n" * 20)


def _bug(
    name: str,
    argv: str | tuple[str, ...],
    right: tuple[int, ...],
    setup: Setup | None = None,
    after: After | None = None,
    conditions: Conditions = PLAIN,
) -> Attack:
    return Attack(
        name=f"bugs/{name}",
        argv=argv if isinstance(argv, tuple) else line(argv),
        setup=setup or (lambda place: None),
        codes=right,
        after=after or (lambda place, result: ""),
        conditions=conditions,
        writes=("out*", "what[?]", "per%cent%s"),
        needs="apertium" if "apertium" in argv else "",
    )


OWN: tuple[Attack, ...] = tuple(
    _bug(*row)  # type: ignore[arg-type]
    for row in (
        ("4-encoder", f"{ENCODER} --encoder it", EITHER,
         damage_copy("encoder", "config.json", _config(EVIL), "it"), _no_code, YES),
        ("4-evaluate", f"corefmill evaluate --model it --corpus {S}/masked", EITHER,
         damage_copy("model-masked", "encoder/config.json", _config(EVIL), "it"), _no_code, YES),
        ("5-import", f"corefmill annotate import in {S}/judgements.jsonl --min-raters 1 --out out",
         EITHER, _manifest(SPLIT)),
        ("5-export", "corefmill annotate export in --out out.csv", EITHER, _manifest(SPLIT)),
        ("5-like", f"build wikirand --like in --text {S}/tales.txt --out out {W}", EITHER,
         _manifest(SPLIT)),
        ("5-check", "corefmill check in", CHECKED,
         _manifest({"files": {"../../theirs/mine.txt": "0" * 64}})),
        ("6-output", f"{NEWS} --translator apertium --model ap --out out {W}", REFUSED,
         _mode("lt-proc x.bin /etc/hostname VICTIM")),
        ("6-tagger", f"{NEWS} --translator apertium --model ap --out out {W}", REFUSED,
         _mode("apertium-tagger -g x.prob /etc/hostname VICTIM")),
        ("7-export", "corefmill annotate export in --out out.csv --raters 1", EITHER,
         _rows("knowref", id=FORMULA), _no_formula),
        ("7-answers",
         f"corefmill evaluate --model {S}/model-masked --corpus in --answers out.csv", EITHER,
         _rows("masked", id=FORMULA), _no_formula),
        ("8-events", "corefmill stats in/train.jsonl", EITHER,
         _rows("events", cluster=ESCAPE, event_type=ESCAPE)),
        ("8-documents", "corefmill score in/train.jsonl in/train.jsonl --by document", EITHER,
         _rows("documents", doc_id=ESCAPE)),
        ("8-manifest", "corefmill check in", CHECKED, _manifest({"files": {ESCAPE: "0" * 64}})),
        ("10-middle", f"build wec --dump d.xml --event-list {S}/events.tsv --out out {W}", EITHER,
         _other_middle, _noticed),
        ("13-question", f"build wec --dump {S}/small.xml --out what? {W}", EITHER),
        ("13-percent", f"build wec --dump {S}/small.xml --out per%cent%s {W}", EITHER),
        ("14-out", (*line(f"build wec --dump {S}/small.xml {W} --out"), os.fsdecode(b"out\xe9")),
         EITHER),
        ("14-text", (*line(f"build knowref --out out {W} --text"), CAFE), EITHER,
         _named("tales.txt", b"caf\xe9.txt")),
        ("14-parquet", ("corefmill", "stats", os.fsdecode(b"p\xff.masked.parquet")), EITHER,
         _named("formats/parquet-masked/a.masked.parquet", b"p\xff.masked.parquet")),
        ("14-source",
         (*line(f"build ontonotes-it --out out {W} --source"), os.fsdecode(b"c\xff.conll")), EITHER,
         _named("news.conll", b"c\xff.conll")),
        ("15-config", f"{COREF} --config deep.toml --out out", REFUSED, _put("deep.toml", DEEP)),
        ("15-infoboxes", f"build wec --dump {S}/small.xml --infoboxes deep.toml --out out {W}",
         REFUSED, _put("deep.toml", DEEP)),
        ("16-number", "corefmill stats ecb --from ecbplus", REFUSED, _ecb("12,3ecb,0", HUGE)),
        ("16-table", "corefmill check ecb", CHECKED, _ecb(f"12,3ecb,{HUGE}", "0")),
        ("16-field", "corefmill check ecb", CHECKED, _ecb(f"1,{'x' * 3_000_000},0", "0")),
        ("17-seed", f"{COREF} --seed {T30} --out out", REFUSED),
        ("17-lora", f"{COREF} --set lora=99999999 --out out", REFUSED),
        ("18-split", f"corefmill evaluate --model {S}/model-masked --corpus in", REFUSED,
         _no_split),
        ("19-stdin", f"build knowref --dump - --out out {W}", REFUSED, None, None,
         Conditions(stdin=None)),
        ("20-cache", f"{NEWS} --translator apertium --cache cf --out out {W}", REFUSED,
         _put("cf", "x")),
        ("20-data-dir",
         "build wikicrem --dump latest --set mirror=http://127.0.0.1:9"
         f" --data-dir /etc/hostname/x --out out {W}", REFUSED),
        ("22-long", (*line(f"{COREF} --out"), "n" * 300), REFUSED),
        ("22-proc", f"{COREF} --out /proc/1/none/x", REFUSED),
        ("28-layers", f"{ENCODER} --encoder it", REFUSED,
         damage_copy("encoder", "config.json", _config({"num_hidden_layers": 10**9}), "it")),
        ("30-stats", f"corefmill stats {S}/formats/gap/a.txt", DONE, None, None,
         Conditions(env={"LC_ALL": "it_IT.UTF-8"}, program=True)),
        ("31-check", "corefmill check --list", (141,), None, None, Conditions(stdout="gone")),
        ("31-corpora", "corefmill corpora", (141,), None, None, Conditions(stdout="gone")),
        ("33-up", f"build wikicrem --text {S}/persons.txt --lang ../../etc --out out {W}", REFUSED,
         None, _shows("spacy download", "advises to download a path")),
        ("25-links", f"build wec --dump d.xml --out out {W}", EITHER, _many_links),
        ("26-tabs", "corefmill stats a.conll", REFUSED, _wide),
        ("26-tabs-convert", "corefmill convert a.conll out.jsonl", REFUSED, _wide),
        ("27-genre",
         ("corefmill", "score", "g.jsonl", "g.jsonl", "--by", "genre", "--genre", "(a+)+$"), EITHER,
         _long_genre),
        ("29-ray",
         f"build knowref --text {S}/tales.txt --executor ray"
         f" --ray-address 127.0.0.1:9 --out out {W}", REFUSED),
        ("30-locale", f"{NEWS} --limit 1 --translator apertium --out out {W}", DONE, None, None,
         Conditions(env={"LC_ALL": "it_IT.UTF-8"}, program=True)),
        ("35-preset", f"{COREF} --preset papper --out out", REFUSED, None,
         _shows("paper", "no suggestion", wanted=True)),
        ("35-without", f"build wikicrem --text {TEXT} --without one_name --out out {W}", REFUSED),
        ("36-interrupted", f"build wec --dump {S}/dump.xml --out out --workers 1", (0, 130), None,
         _shows("passes", "names a folder of its own"),
         Conditions(signal=signal.SIGINT, delay=0.25)),
        ("37-overlap", READ["overlap-test"].replace("IN", WHOLE["overlap-test"]), DONE, None,
         _no_absolute),
    )
)  # fmt: skip
