"""Do the refinement rules correct what they are for, and leave alone what is right?

    python -m benchmarks.rules ../shared/data/ud/it [--lang it] [--split test] [--nlp it_mini]
    python -m benchmarks.rules ../shared/data/ud/es --lang es
    python -m benchmarks.rules ../shared/data/ud/fr --lang fr --split tune --skip 1200

The sentences of UD treebanks are taken for right. Into each place where a rule could find fault a
mistake is put, one at a time (corruptions.py), and the rules are run: on the gold tree with the
mistake in it, and with --nlp on a pipeline's own analysis of the mistaken text. It is restored if
the text is the treebank's again, to the letter, but for a blank after an apostrophe, which some of
the treebanks write. Then the rules are run on the sentences as they are, and what they change is
written for reading (--untouched).

The split `test` is the files whose name says so, and ISDT's dev file, the only one of that
treebank; `tune` is all others, on which the rules were tuned. it_mini has learnt from ParTUT and
VIT, so with it these are left out. Treebanks of tweets (PoSTWITA, TWITTIRO) come with --tweets.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks import article_corruptions, corruptions, romance_corruptions
from benchmarks.corruptions import Corrupt, Kind
from corefmill.builders.nlp import Analysis, load
from corefmill.builders.nlp import parsed as parse_sentences
from corefmill.builders.translate.gamma.target import tokens
from corefmill.corpora.formats import corefud
from corefmill.rules.agreement import ARTICLE, paradigms
from corefmill.rules.documents import utterances
from corefmill.rules.edits import Join
from corefmill.rules.languages import LANGUAGES
from corefmill.rules.languages import load as load_rules
from corefmill.rules.rule import Change, Rule, Utterance, refine, text
from corefmill.rules.surface import from_text
from corefmill.rules.tables import table
from corefmill.rules.tree import strings

HELD_OUT = ("it_isdt-ud-dev.conllu",)
LEARNT = ("partut", "vit")
PUT_IN = "subject pronoun put in"
TWEETS = ("postwita", "twittiro")


@dataclass(slots=True)
class Row:
    """How many mistakes there were, how many of them were undone, and those that were not."""

    tried: int = 0
    restored: int = 0
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """(right, mistaken, what the rules made of it)"""


def _options() -> tuple[argparse.Namespace, list[Path]]:
    """The command line, and the files that it means."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="of CoNLL-U files")
    parser.add_argument("--lang", choices=LANGUAGES, default="it")
    parser.add_argument("--split", choices=("test", "tune"), default="test")
    parser.add_argument("--mode", choices=("clean", "paper"), default="clean")
    parser.add_argument("--nlp", help="a pipeline; `none` for the gold trees alone")
    parser.add_argument("--tweets", action="store_true", help="the treebanks of tweets alone")
    parser.add_argument("--only", help="rows of the table whose name has this in it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="sentences of each file, at first")
    parser.add_argument("--limit", type=int, help="sentences of each file, after those")
    parser.add_argument("--failures", type=Path, help="writes what was not restored")
    parser.add_argument("--untouched", type=Path, help="writes what was changed in right sentences")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    files = _files(args.folder, args.split, args.tweets)
    if not files:
        parser.error(f"{args.folder} has no CoNLL-U file of the split {args.split}")
    return args, files


def main() -> None:
    """Runs the benchmark."""
    args, files = _options()
    pipeline = args.nlp or ("it_mini" if args.lang == "it" else "none")
    sentences = {file.stem: list(_sentences(file, args)) for file in files}
    report: dict[str, Any] = {"files": {name: len(found) for name, found in sentences.items()}}
    failures: list[str] = []
    changes: list[str] = []
    for analysis in ["gold", *([pipeline] if pipeline != "none" else [])]:
        names = [n for n in sentences if analysis == "gold" or not any(one in n for one in LEARNT)]
        used = [utterance for name in names for utterance in sentences[name]]
        parse = _gold if analysis == "gold" else _parser(analysis, args.lang)
        rows = restored(used, args, parse)
        report[analysis] = {
            "sentences": len(used),
            "rows": {name: [row.restored, row.tried] for name, row in rows.items()},
        }
        for name, row in rows.items():
            failures += [
                f"{analysis}\t{name}\n  right   {a}\n  mistake {b}\n  became  {c}\n"
                for a, b, c in row.failures
            ]
        counts, changed, shown = untouched(used, args, parse)
        report[analysis] |= {"untouched": dict(counts), "changed": changed}
        changes += [f"{analysis}\t{line}" for line in shown]
    write(args.failures, failures)
    write(args.untouched, changes)
    print(json.dumps(report, ensure_ascii=False) if args.json else _table(report))


def write(path: Path | None, lines: Sequence[str]) -> None:
    """Writes lines to a file, where one is named."""
    if path is not None:
        path.write_text("\n".join(lines), encoding="utf-8")


def _files(folder: Path, split: str, tweets: bool) -> list[Path]:
    found = []
    for file in sorted(folder.glob("*.conllu")):
        test = "-test." in file.name or file.name in HELD_OUT
        if test == (split == "test") and any(name in file.name for name in TWEETS) == tweets:
            found.append(file)
    return found


def _sentences(file: Path, args: argparse.Namespace) -> Iterator[Utterance]:
    found = (one for _, document in corefud.read(file, args.lang) for one in utterances(document))
    last = None if args.limit is None else args.skip + args.limit
    return islice(found, args.skip, last)


Parse = Callable[[Sequence[Utterance]], Iterable[Utterance]]


def _gold(given: Sequence[Utterance]) -> Iterable[Utterance]:
    return given


def _parser(name: str, lang: str) -> Parse:
    pipeline = load(name, lang)

    def parse(given: Sequence[Utterance]) -> Iterable[Utterance]:
        texts = [text(utterance) for utterance in given]
        return map(_utterance, parse_sentences(pipeline, [(one, [(0, len(one))]) for one in texts]))

    return parse


def _utterance(analysis: Analysis) -> Utterance:
    return from_text(analysis.text, tokens(analysis), analysis.words)[0]


def _rules(args: argparse.Namespace, without: Sequence[str] = ()) -> tuple[Rule, ...]:
    return load_rules(args.lang).rules(args.mode, without)


def restored(
    sentences: Sequence[Utterance], args: argparse.Namespace, parse: Parse
) -> dict[str, Row]:
    """The rows of the table, by kind of mistake."""
    rows: dict[str, Row] = {}
    for kind in kinds(args.lang):
        if args.only is not None and args.only not in kind.name:
            continue
        row = rows.setdefault(kind.name, Row())
        choose = random.Random(f"{args.seed} {kind.name}")
        pairs = [
            (text(utterance), wrong)
            for utterance in sentences
            for wrong in kind.corrupt(utterance, choose)
        ]
        drops = "subject" in table(args.lang, "pronouns")
        rules = _rules(args, [one for one in kind.without if drops or one == ARTICLE])
        mistaken = [wrong for _, wrong in pairs]
        progress = tqdm(pairs, desc=kind.name, leave=False, disable=not sys.stderr.isatty())
        for (right, wrong), parsed in zip(progress, parse(mistaken), strict=True):
            after = text(refine(parsed, rules)[0])
            row.tried += 1
            if after.replace("' ", "'") == right.replace("' ", "'"):
                row.restored += 1
            else:
                row.failures.append((right, text(wrong), after))
    return rows


def untouched(
    sentences: Sequence[Utterance], args: argparse.Namespace, parse: Parse
) -> tuple[Counter[str], int, list[str]]:
    """Changes by rule, how many sentences have one, and each such sentence before and after."""
    rules = _rules(args)
    counts: Counter[str] = Counter()
    changed = 0
    shown: list[str] = []
    for parsed in parse(sentences):
        after, changes = refine(parsed, rules)
        made = [change for change in changes if not change.kept]
        counts.update(change.rule for change in made)
        if made:
            changed += 1
            shown.append(f"{_said(made)}\n  {text(parsed)}\n  {text(after)}\n")
    return counts, changed, shown


def _said(changes: Iterable[Change]) -> str:
    return "; ".join(f"{change.rule}: {change.before} > {change.after}" for change in changes)


def kinds(lang: str) -> list[Kind]:
    """The kinds of mistake that a language's rules correct."""
    join = load_rules(lang).join
    pronouns = table(lang, "pronouns")
    # What is put in is lui or lei, whatever the gender of a participle that follows.
    without = ("participle-essere",) if lang == "it" else ()
    shared = [Kind(PUT_IN, _subjects(pronouns, join), without)] if "subject" in pronouns else []
    if lang != "it":
        # An article that the treebank itself has wrong is no matter of these.
        others = (
            kind if "article: " in kind.name else replace(kind, without=(*kind.without, ARTICLE))
            for kind in romance_corruptions.kinds(lang, join)
        )
        return [*(replace(kind, without=(ARTICLE,)) for kind in shared), *others]
    possessives = paradigms(lang, "possessives")
    oblique = dict(pronouns["oblique"])
    back = {form: subject for subject, form in oblique.items()}
    prepositions = strings(pronouns, "words", "prepositions")
    paper = [
        *shared,
        Kind("possessive: gender, number", corruptions.possessives(possessives, join)),
        Kind("demonstrative: gender, number", corruptions.demonstratives(join)),
        Kind("demonstrative: form before the sound", corruptions.sounds(join)),
        Kind("subject pronoun: number", corruptions.numbers(join)),
        Kind("io, tu after a preposition", corruptions.after(prepositions, back, ("ADP",), join)),
        Kind(
            "me, te after che",
            corruptions.after(frozenset(("che",)), oblique, ("SCONJ", "PRON", "ADV"), join),
        ),
        Kind("neuter ciò", corruptions.neuters(join)),
        Kind("article before kin put in", corruptions.kin(join)),
        Kind("article before possessive left out", corruptions.articles(join)),
        Kind("participle after clitic", corruptions.participles(join)),
    ]
    return [
        # An article that the treebank itself has wrong is no matter of these.
        *(replace(kind, without=(*kind.without, "sound-form")) for kind in paper),
        Kind("participle with essere", article_corruptions.with_essere(join)),
        Kind("article: form before the sound", article_corruptions.forms(join)),
        Kind("preposition and article apart", article_corruptions.apart),
    ]


def _subjects(pronouns: dict[str, Any], join: Join) -> Corrupt:
    persons: dict[str, list[str]] = {}
    for form, found in pronouns["subject"].items():
        persons.setdefault(found[0], []).append(form)
    focus = strings(pronouns, "words", "focus") | strings(pronouns, "words", "contrast")
    return corruptions.subjects(pronouns["subject"], persons, focus, join)


def _table(report: dict[str, Any]) -> str:
    lines = [f"{name}: {count} sentences" for name, count in report["files"].items()]
    analyses = [name for name in report if name != "files"]
    for name in analyses:
        found = report[name]
        lines += ["", f"{name}, {found['sentences']} sentences", "", "| mistake | restored | n |"]
        lines.append("|---|---|---|")
        for row, (undone, tried) in found["rows"].items():
            share = f"{undone / tried:.1%}" if tried else "-"
            lines.append(f"| {row} | {share} | {tried} |")
        undone = sum(row[0] for row in found["rows"].values())
        tried = sum(row[1] for row in found["rows"].values())
        lines.append(f"| all | {undone / max(tried, 1):.1%} | {tried} |")
        lines += ["", f"untouched: {found['changed']} of {found['sentences']} sentences changed"]
        lines += [f"  {rule}: {count}" for rule, count in sorted(found["untouched"].items())]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
