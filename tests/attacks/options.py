"""Command lines: every option of every command with hostile values, help, and mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.attacks.attack import DONE, EITHER, REFUSED, Attack, line
from tests.attacks.paths import pattern
from tests.attacks.seeds import STEPS
from tests.attacks.slots import READ, TEXT, TRANSLATE, S, W, codes

VALUES = {
    "empty": "",
    "zero": "0",
    "negative": "-1",
    "fraction": "0.5",
    "huge": "9" * 30,
    "huge-float": "1e999",
    "nan": "nan",
    "up": "../../etc",
    "word": "nothing",
    "escape": "\x1b]0;OWNED\x07\x1b[31m\x9b",
    "bidi": "\u202egnp\u2066",
    "sql": 'it\'s "x"; DROP TABLE y--',
    "formula": "=cmd|'/C calc'!A0",
    "pattern": "(a+)+$",
    "commas": ",,,",
    "long": "9" * 5000,
    "assignment": "a.b=c",
    "surrogate": "\udcff",
}

BASE: dict[str, str] = {
    "evaluate": f"corefmill evaluate --model {S}/model-masked --corpus {S}/masked",
    "predict": f"corefmill predict {TEXT} --model {S}/model-documents --out out.jsonl",
    "score": f"corefmill score {S}/news.conll {S}/news.conll",
    "check": f"corefmill check {S}/news.conll",
    "stats": f"corefmill stats {S}/news.conll",
    "convert": f"corefmill convert {S}/formats/conll2012/a.conll out.jsonl",
    "export-task": f"corefmill export-task {S}/masked --to lm-eval --out out",
    "parse": f"corefmill parse {S}/events/train.jsonl out.jsonl",
    "push": f"corefmill push {S}/wikicrem --to ann/names",
    "corpora": "corefmill corpora",
    "corpora explain": "corefmill corpora explain gap",
    "corpora download": "corefmill corpora download gap --mirror http://127.0.0.1:9",
    "overlap": f"corefmill overlap --test {S}/problems.txt --text {TEXT} --out out --workers 1",
    "models list": "corefmill models list",
    "models export": f"corefmill models export {S}/model-masked --to hf --out out",
    "models download": "corefmill models download stanza --lang zz --out out",
    "annotate export": f"corefmill annotate export {S}/knowref --out out.csv",
    "annotate import": f"corefmill annotate import {S}/knowref {S}/filled.csv --min-raters 1"
    " --out out",
    "annotate release": f"corefmill annotate release {S}/knowref --out out.jsonl",
    "annotate serve": READ["annotate-serve"].replace("IN", f"{S}/knowref"),
    "annotate answers": f"corefmill annotate answers {S}/answers.sqlite --out out.jsonl",
    "annotate report": f"corefmill annotate report {S}/judgements.jsonl --bootstrap 10",
    "annotate table": f"corefmill annotate table {S}/table.toml --out out",
    "annotate chains": f"corefmill annotate chains {S}/news.conll {S}/news-2.conll --bootstrap 10",
    "annotate ask": READ["annotate-ask"].replace("IN", f"{S}/masked/train.jsonl"),
    "show": f"corefmill show {S}/knowref",
    "chains": f"build chains --text {S}/tales.txt --out out {W}",
    "knowref": f"build knowref --text {S}/tales.txt --out out {W}",
    "ontonotes-it": f"build ontonotes-it --source {S}/news.conll --limit 1 --out out {W}",
    "translate": f"{TRANSLATE} --out out {W}",
    "wec": f"build wec --dump {S}/small.xml --out out {W}",
    "wikicrem": f"build wikicrem --text {S}/persons.txt --out out {W}",
    "wikirand": f"build wikirand --like {S}/wikicrem --text {TEXT} --out out {W}",
    "coref": f"train coref --corpus {S}/masked {STEPS} --out out",
}
"""Each command as it works."""

_WITH = {
    "--command": "--translator command",
    "--list-texts": f"--translator table --table {S}/pairs.tsv --allow-missing",
}
"""What has an option looked at, which is refused at once without."""

_LEFT_OUT = {
    "--download",  # asks the network
    "--executor",
    "--help",
}
_COUNTS = {"--workers", "--tasks", "--epochs", "--bootstrap"}
"""Options whose large values are work that is asked for: more of it is no fault."""

_SETTINGS = (
    *("lr_encoder=nan", "lr_head=-1", "batch=0", "batch=99999999999999999999", "max_steps=-1"),
    *("epochs=1e999", "nothing=1", "batch='a'", "batch=[[[[", "seed=1.5", "=", "batch=", "=1"),
    *("max_length=0", "max_length=100000000", "evaluate_every=-5", "encoder=[1]", "__class__=1"),
    *("a.b.c=1", "batch=true", "batch={a=1}", "batch=1\nseed=2", "\x1b[31m=1", "lora=-1"),
    *("lora=99999999", "alpha=inf", "precision='fp3'", "warmup=2", "threads=100000"),
)


def commands() -> dict[str, Any]:
    """Every command by its name, as click has them."""
    from corefmill.cli.command import Group
    from corefmill.cli.main import COREFMILL

    found: dict[str, Any] = {}

    def walk(command: Any, name: str) -> None:
        if not isinstance(command, Group):
            found[name] = command
            return
        for word, inner in command.load_all().items():
            walk(inner, f"{name} {word}" if name else word)

    walk(COREFMILL, "")
    return {name.removeprefix("build ").removeprefix("train "): one for name, one in found.items()}


def values() -> Iterator[Attack]:
    """Every option of every command with every value."""
    for name, command in commands().items():
        for option in command.params:
            word = max(option.opts, key=len)
            if option.param_type_name != "option" or word in _LEFT_OUT or option.is_flag:
                continue
            for kind, value in VALUES.items():
                if word in _COUNTS and kind in ("huge", "long"):
                    continue
                yield Attack(
                    group="user error",
                    name=f"{name}/{word}/{kind}",
                    argv=(*line(f"{BASE[name]} {_WITH.get(word, '')}"), word, value),
                    codes=codes(BASE[name]),
                    writes=("out*", "data*", *(_first(value) if word in _OUTPUTS else ())),
                )


_OUTPUTS = (
    "--out",
    "--list-texts",
    "--cache",
    "--html",
    "--db",
    "--answers",
    "--data-dir",
    "--log-file",
)


def _first(value: str) -> tuple[str, ...]:
    """The patterns of what an output of that name is, and of what `annotate ask` has beside it; of
    none it is the working directory."""
    name = pattern(value.split("/")[0]) or "*"
    return (name, f"{name}.asked.json")


def settings() -> Iterator[Attack]:
    """Settings that cannot be."""
    for number, setting in enumerate(_SETTINGS):
        yield Attack(
            group="user error",
            name=f"coref/set-{number}",
            argv=(*line(BASE["coref"]), "--set", setting),
        )


_TOGETHER = (
    "corefmill",
    "corefmill nonsense",
    "corefmill --nonsense",
    "corefmill stats",
    f"corefmill stats {S}/news.conll --form conll",
    f"corefmill stats {S}/news.conll --from conl2012",
    f"corefmill convert {S}/news.conll out.jsonl --to nothing",
    f"corefmill convert {S}/news.conll {S}/news.conll",
    f"corefmill convert {S}/masked/train.jsonl out.conllu --to corefud",
    f"corefmill score {S}/news.conll {S}/formats/gap/gap.tsv",
    f"corefmill score {S}/news.conll {S}/tales.txt",
    f"corefmill check {S}/news.conll --fix",
    f"corefmill check {S}/news.conll --in-place",
    "corefmill check",
    f"corefmill evaluate --model {S}/model-masked --corpus {S}/events",
    f"corefmill evaluate --model {S}/model-events --corpus {S}/masked",
    f"corefmill evaluate --model {S}/model-documents --corpus gap",
    f"corefmill evaluate --model {S}/model-masked --reproduce nothing",
    f"corefmill evaluate --model {S}/model-masked",
    f"corefmill predict {TEXT} --model {S}/model-masked",
    f"corefmill annotate export {S}/wec --out out.csv",
    f"corefmill annotate import {S}/knowref {S}/tasks.csv --out out",
    f"corefmill annotate import {S}/wikicrem {S}/filled.csv --out out",
    f"corefmill overlap --test {S}/problems.txt --out out",
    f"corefmill overlap --test {S}/wec --text {TEXT} --out out",
    "corefmill models download nothing --lang en",
    "build",
    "build nonsense",
    "build wikicrme",
    f"build wikicrem --text {TEXT} --dump {S}/small.xml --out out {W}",
    f"build wikicrem --dump {S}/small.xml --lang it --out out {W}",
    f"build wikicrem --dump {S}/tales.txt --out out {W}",
    f"build wikicrem --text {S}/small.xml --without no_such --out out {W}",
    f"build wikicrem --text {TEXT} --executor slurm --out out {W}",
    f"build wikicrem --text {TEXT} --mode nothing --out out {W}",
    f"build wec --dump {S}/tales.txt --out out {W}",
    f"build wec --dump {S}/small.xml --lang zz --out out {W}",
    f"build wec --dump {S}/small.xml --validation 0.6 --test 0.6 --out out {W}",
    f"build wikirand --like {S}/wec --text {TEXT} --out out {W}",
    f"build wikirand --text {TEXT} --out out {W}",
    f"build knowref --text {TEXT} --reddit {TEXT} --out out {W}",
    f"build ontonotes-it --source {S}/masked --out out {W}",
    f"build ontonotes-it --source {S}/news.conll --translator apertum --out out {W}",
    f"build ontonotes-it --source {S}/news.conll --model {S} --out out {W}",
    "train",
    "train coreff",
    f"train coref --corpus {S}/masked,{S}/events {STEPS} --out out",
    f"train coref --corpus {S}/masked {STEPS} --task events --out out",
    f"train coref --corpus {S}/masked {STEPS} --preset nothing --out out",
    f"train coref --corpus {S}/masked {STEPS} --init-from {S}/model-events --out out",
    f"train coref --corpus nothing {STEPS} --out out",
    f"train coref --corpus {S}/tales.txt {STEPS} --out out",
)


def mistakes() -> Iterator[Attack]:
    """What does not go together, and words that are no command."""
    for number, text in enumerate(_TOGETHER):
        yield Attack(group="user error", name=f"mistake-{number}", argv=line(text), codes=EITHER)


def helps() -> Iterator[Attack]:
    """The help of each command, an option that is none, and no word at all."""
    groups = {" ".join(BASE[name].split()[: 1 + len(name.split())]): name for name in commands()}
    for words, name in groups.items():
        argv = tuple(words.split())
        yield Attack(group="help", name=name, argv=(*argv, "--help"), codes=DONE)
        yield Attack(group="help", name=f"{name}/none", argv=(*argv, "--nonsense"), codes=REFUSED)
        yield Attack(group="help", name=f"{name}/too-many", argv=(*argv, *"a" * 9), codes=REFUSED)
    for word in ("corefmill", "build", "train"):
        yield Attack(group="help", name=word, argv=(word, "--help"), codes=DONE)
    for option in ("--version", "--list"):
        yield Attack(
            group="help",
            name=option,
            argv=(*_OPTION_OF.get(option, ("corefmill",)), option),
            codes=DONE,
        )


_OPTION_OF = {"--list": ("corefmill", "convert")}


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from values()
    yield from settings()
    yield from mistakes()
    yield from helps()
