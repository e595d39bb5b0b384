"""The command lines that are attacked: IN is a path that is read, OUT one that is written."""

from __future__ import annotations

from tests.attacks.seeds import STEPS

S = "{seeds}"
W = "--workers 1 -q"
TEXT = f"{S}/story.txt"
TRANSLATE = f"build translate --to it --source {S}/news.conll --limit 1"
TOOLS = {"label-studio": "knowref", "inception": "documents"}
"""Annotation tools, and the corpus of which each gets items or documents."""

READ: dict[str, str] = {
    "stats": "corefmill stats IN",
    "check": "corefmill check IN",
    "convert": "corefmill convert IN out.jsonl",
    "score-key": f"corefmill score IN {S}/news.conll",
    "score-response": f"corefmill score {S}/news.conll IN",
    "parse": "corefmill parse IN out.jsonl",
    "predict": f"corefmill predict IN --model {S}/model-documents --out out.jsonl",
    "predict-model": f"corefmill predict {TEXT} --model IN --out out.jsonl",
    "evaluate-model": f"corefmill evaluate --model IN --corpus {S}/masked",
    "evaluate-corpus": f"corefmill evaluate --model {S}/model-masked --corpus IN",
    "import-corpus": f"corefmill annotate import IN {S}/judgements.jsonl --out out --min-raters 1",
    "import-answers": f"corefmill annotate import {S}/knowref IN --out out --min-raters 1",
    "annotate-serve": "corefmill annotate serve IN --db out.sqlite --split nothing",
    "annotate-answers": "corefmill annotate answers IN --out out.jsonl",
    "annotate-report": "corefmill annotate report IN --bootstrap 10",
    "annotate-chains": f"corefmill annotate chains IN {S}/news.conll --bootstrap 10",
    **{f"export-{tool}": f"corefmill annotate export IN --to {tool} --out out" for tool in TOOLS},
    **{
        f"import-{tool}": f"corefmill annotate import {S}/{corpus} IN --from {tool} --out out.jsonl"
        for tool, corpus in TOOLS.items()
    },
    "show": "corefmill show IN",
    "show-html": "corefmill show IN --html out.html",
    "overlap-test": f"corefmill overlap --test IN --text {TEXT} --out out --workers 1",
    "overlap-text": f"corefmill overlap --test {S}/problems.txt --text IN --out out --workers 1",
    "overlap-dump": f"corefmill overlap --test {S}/problems.txt --dump IN --out out --workers 1",
    "wikicrem-dump": f"build wikicrem --dump IN --out out {W}",
    "wikicrem-text": f"build wikicrem --text IN --out out {W}",
    "wikicrem-nlp": f"build wikicrem --text {S}/persons.txt --nlp IN --out out {W}",
    "wikirand-like": f"build wikirand --like IN --text {S}/tales.txt --out out {W}",
    "wec-dump": f"build wec --dump IN --out out {W}",
    "wec-infoboxes": f"build wec --dump {S}/small.xml --infoboxes IN --out out {W}",
    "wec-templates": f"build wec --dump {S}/small.xml --templates IN --out out {W}",
    "wec-event-list": f"build wec --dump {S}/small.xml --event-list IN --out out {W}",
    "knowref-dump": f"build knowref --dump IN --out out {W}",
    "knowref-text": f"build knowref --text IN --out out {W}",
    "knowref-reddit": f"build knowref --reddit IN --out out {W}",
    "data-dir": f"build wikicrem --data-dir IN --out out {W}",
    "ontonotes-source": f"build ontonotes-it --source IN --limit 1 --out out {W}",
    "ontonotes-model": f"build ontonotes-it --source {S}/news.conll --translator apertium"
    f" --model IN --out out {W}",
    "translate-table": f"{TRANSLATE} --translator table --table IN --allow-missing --out out {W}",
    "coref-corpus": f"train coref --corpus IN {STEPS} --out out",
    "coref-init": f"train coref --corpus {S}/masked {STEPS} --init-from IN --out out",
    "coref-config": f"train coref --corpus {S}/masked {STEPS} --config IN --out out",
    "coref-encoder": f"train coref --corpus {S}/masked --encoder IN --set max_steps=1 -q --out out",
}
"""Every place of a command line where a path that is read may stand."""

WHOLE: dict[str, str] = {
    **dict.fromkeys(("stats", "check", "score-key", "score-response"), f"{S}/news.conll"),
    "convert": f"{S}/formats/conll2012/a.conll",
    "parse": f"{S}/events/train.jsonl",
    "predict": TEXT,
    "predict-model": f"{S}/model-documents",
    "evaluate-model": f"{S}/model-masked",
    "evaluate-corpus": f"{S}/masked",
    "import-corpus": f"{S}/knowref",
    "import-answers": f"{S}/judgements.jsonl",
    "annotate-report": f"{S}/judgements.jsonl",
    "annotate-answers": f"{S}/answers.sqlite",
    "annotate-chains": f"{S}/news-2.conll",
    **{f"export-{tool}": f"{S}/{corpus}" for tool, corpus in TOOLS.items()},
    **{f"import-{tool}": f"{S}/{tool}" for tool, corpus in TOOLS.items() if corpus == "documents"},
    **dict.fromkeys(("show", "show-html"), f"{S}/knowref"),
    "overlap-test": f"{S}/problems.txt",
    "overlap-text": TEXT,
    "overlap-dump": f"{S}/small.xml",
    "wikicrem-dump": f"{S}/dump.xml",
    "wikicrem-text": f"{S}/tales.txt",
    "wikicrem-nlp": "en_mini",
    "wikirand-like": f"{S}/wikicrem",
    "wec-dump": f"{S}/small.xml",
    "wec-infoboxes": f"{S}/infoboxes.toml",
    "wec-templates": f"{S}/templates.toml",
    "wec-event-list": f"{S}/events.tsv",
    "knowref-dump": f"{S}/dump.xml",
    "knowref-text": f"{S}/tales.txt",
    "knowref-reddit": f"{S}/reddit.jsonl",
    "translate-table": f"{S}/pairs.tsv",
    "coref-corpus": f"{S}/masked",
    "coref-init": f"{S}/model-masked",
    "coref-config": f"{S}/settings.toml",
    "coref-encoder": f"{S}/encoder",
}
"""What makes these command lines end with 0, which is tried first of all."""

WRITE: dict[str, str] = {
    "convert": f"corefmill convert {S}/formats/conll2012/a.conll OUT --to native-documents",
    "parse": f"corefmill parse {S}/events/train.jsonl OUT --to native-events",
    "predict": f"corefmill predict {TEXT} --model {S}/model-documents --out OUT --to"
    " native-documents",
    "check-fix": f"corefmill check {S}/crlf.txt --from five-line --fix --out OUT",
    "evaluate-answers": f"corefmill evaluate --model {S}/model-masked --corpus {S}/masked"
    " --answers OUT",
    "annotate-answers": f"corefmill annotate answers {S}/answers.sqlite --out OUT",
    "import-inception": f"corefmill annotate import {S}/documents {S}/inception"
    " --from inception --out OUT",
    "show-html": f"corefmill show {S}/knowref --html OUT",
    "list-texts": f"{TRANSLATE} --translator table --table {S}/pairs.tsv --allow-missing"
    f" --list-texts OUT --out OUT.corpus {W}",
}
"""Commands that write one file; that of the texts to translate has its corpus beside it."""

FILL: dict[str, str] = {
    "import": f"corefmill annotate import {S}/knowref {S}/judgements.jsonl --min-raters 1"
    " --out OUT",
    **{
        f"export-{tool}": f"corefmill annotate export {S}/{corpus} --to {tool} --out OUT"
        for tool, corpus in TOOLS.items()
    },
    "overlap": f"corefmill overlap --test {S}/problems.txt --text {TEXT} --out OUT --workers 1",
    "wikicrem": f"build wikicrem --text {S}/persons.txt --out OUT {W}",
    "wikirand": f"build wikirand --like {S}/wikicrem --text {S}/tales.txt --out OUT {W}",
    "wec": f"build wec --dump {S}/small.xml --out OUT {W}",
    "knowref": f"build knowref --text {S}/tales.txt --out OUT {W}",
    "ontonotes-it": f"build ontonotes-it --source {S}/news.conll --translator apertium --out OUT"
    f" {W}",
    "coref": f"train coref --corpus {S}/masked {STEPS} --out OUT",
}
"""Commands that fill a folder."""

WRITERS = {**WRITE, **FILL}

BESIDE: dict[str, str] = {
    "export-label-studio": "pronoun-problem.json",
    "export-inception": "0001.tsv",
}
"""Commands that fill a folder beside whatever it holds, and a file that each writes into it."""


def codes(command: str) -> tuple[int, ...]:
    """The exit codes that are right for a hostile input: 1 is `check`'s."""
    return (0, 1, 2) if command.startswith("corefmill check") else (0, 2)


def ends(command: str) -> tuple[int, ...]:
    """The exit codes of an undisturbed command: 2 where texts are listed that lack translations."""
    return (2,) if "--list-texts" in command else (0, 1)
