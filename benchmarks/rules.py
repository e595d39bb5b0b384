"""Do the refinement rules correct what they are for, and leave alone what is right?

    python -m benchmarks.rules ../shared/data/ud/it [--lang it] [--split test] [--nlp it_mini]
    python -m benchmarks.rules ../shared/data/ud/es --lang es
    python -m benchmarks.rules ../shared/data/ud/fr --lang fr --split tune --skip 1200

The sentences of UD treebanks are taken for right. Into each place where a rule could find fault a
mistake is put, one at a time, and the rules are run: on the gold tree with the mistake in it, and
with --nlp on a pipeline's own analysis of the mistaken text. It is restored if the text is the
treebank's again, to the letter, but for a blank after an apostrophe, which some of the treebanks
write. Then the rules are run on the sentences as they are, and what they change is written for
reading (--untouched). The mistakes of Italian are in corruptions.py, those of Spanish and French
here.

The split `test` is the files whose name says so, and ISDT's dev file, the only one of that
treebank; `tune` is all others, on which the rules were tuned. it_mini has learnt from ParTUT and
VIT, so with it these are left out. Treebanks of tweets (PoSTWITA, TWITTIRO) are not read.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks import corruptions
from benchmarks.corruptions import Corrupt, Kind, after, alone, put_article, with_token
from corefmill.builders.nlp import Analysis, load_pipeline
from corefmill.builders.translate.gamma.target import make_tokens
from corefmill.corpora.formats import corefud
from corefmill.corpora.records import Token
from corefmill.rules.agreement import ArticleGender, Paradigm, paradigms
from corefmill.rules.documents import from_text, utterances
from corefmill.rules.edits import Join
from corefmill.rules.es import NOUNS as SPANISH
from corefmill.rules.fr import NOUNS as FRENCH
from corefmill.rules.languages import LANGUAGES
from corefmill.rules.languages import load as load_rules
from corefmill.rules.nominal import Nouns
from corefmill.rules.rule import Change, Rule, Utterance, Written, refine, text
from corefmill.rules.tree import (
    NUMBERS,
    Tree,
    feature,
    is_relation,
    low,
    read_words,
    recase,
    table,
    with_features,
    with_initial_of,
)

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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="sentences of each file, at first")
    parser.add_argument("--limit", type=int, help="sentences of each file, after those")
    parser.add_argument("--failures", type=Path, help="writes what was not restored")
    parser.add_argument("--untouched", type=Path, help="writes what was changed in right sentences")
    args = parser.parse_args()
    files = _files(args.folder, args.split)
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
    print(_table(report))


def write(path: Path | None, lines: Sequence[str]) -> None:
    """Writes lines to a file, where one is named."""
    if path is not None:
        path.write_text("\n".join(lines), encoding="utf-8")


def _files(folder: Path, split: str) -> list[Path]:
    found = []
    for file in sorted(folder.glob("*.conllu")):
        test = "-test." in file.name or file.name in HELD_OUT
        if test == (split == "test") and not any(name in file.name for name in TWEETS):
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
    pipeline = load_pipeline(name, lang)

    def parse(given: Sequence[Utterance]) -> Iterable[Utterance]:
        texts = [text(utterance) for utterance in given]
        return map(_utterance, pipeline.trees((one, [(0, len(one))]) for one in texts))

    return parse


def _utterance(analysis: Analysis) -> Utterance:
    return from_text(analysis.text, make_tokens(analysis), analysis.words)[0]


def _rules(args: argparse.Namespace, without: Sequence[str] = ()) -> tuple[Rule, ...]:
    return load_rules(args.lang).rules(args.mode, without)


def restored(
    sentences: Sequence[Utterance], args: argparse.Namespace, parse: Parse
) -> dict[str, Row]:
    """The rows of the table, by kind of mistake."""
    rows: dict[str, Row] = {}
    for kind in kinds(args.lang):
        row = rows.setdefault(kind.name, Row())
        choose = random.Random(f"{args.seed} {kind.name}")
        pairs = [
            (text(utterance), wrong)
            for utterance in sentences
            for wrong in kind.corrupt(utterance, choose)
        ]
        drops = "subject" in table(args.lang, "pronouns")
        rules = _rules(args, [one for one in kind.without if drops or one == ArticleGender.name])
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
        made = [change for change in changes if not change.is_kept]
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
            kind
            if "article: " in kind.name
            else replace(kind, without=(*kind.without, ArticleGender.name))
            for kind in romance_kinds(lang, join)
        )
        return [*(replace(kind, without=(ArticleGender.name,)) for kind in shared), *others]
    possessives = paradigms(lang, "possessives")
    oblique = dict(pronouns["oblique"])
    back = {form: subject for subject, form in oblique.items()}
    prepositions = read_words(pronouns, "words", "prepositions")
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
        Kind("participle with essere", corruptions.with_essere(join)),
        Kind("article: form before the sound", corruptions.article_forms(join)),
        Kind("preposition and article apart", corruptions.apart),
    ]


def _subjects(pronouns: dict[str, Any], join: Join) -> Corrupt:
    persons: dict[str, list[str]] = {}
    for form, found in pronouns["subject"].items():
        persons.setdefault(found[0], []).append(form)
    focus = read_words(pronouns, "words", "focus") | read_words(pronouns, "words", "contrast")
    return corruptions.subjects(pronouns["subject"], persons, focus, join)


Words = Mapping[str, tuple[str, ...]]
"""A word -> what it is mistaken for."""


def romance_kinds(lang: str, join: Join) -> list[Kind]:
    """The kinds of mistake that the rules of es or fr correct, but for what all languages have."""
    pronouns = table(lang, "pronouns")
    oblique = {form: subject for subject, form in reversed(pronouns["oblique"].items())}
    prepositions = read_words(pronouns, "words", "prepositions")
    possessives = paradigms(lang, "possessives")
    sounds, nouns = {"es": (_spanish, SPANISH), "fr": (_french, FRENCH)}[lang]
    return [
        Kind("possessive: gender, number", agreeing(possessives, nouns, join)),
        Kind(
            "demonstrative: gender, number",
            agreeing(paradigms(lang, "demonstratives"), nouns, join),
        ),
        Kind("article: gender", mistaken(_GENDERS[lang], _is_article, join)),
        Kind("subject form after a preposition", after(prepositions, oblique, ("ADP",), join)),
        Kind("article before possessive put in", romance_articles(lang, possessives, join)),
        *(Kind(name, mistaken(words, held, join)) for name, words, held in sounds()),
        Kind("preposition and article apart", romance_apart),
    ]


_GENDERS: dict[str, Words] = {
    "es": {
        **{"el": ("la",), "la": ("el",), "los": ("las",), "las": ("los",)},
        **{"un": ("una",), "una": ("un",), "unos": ("unas",), "unas": ("unos",)},
    },
    "fr": {"le": ("la",), "la": ("le",), "un": ("une",), "une": ("un",)},
}
Held = Callable[[Tree, int], bool]
"""Whether a mistake may be put at a word."""


def _spanish() -> list[tuple[str, Words, Held]]:
    conjunctions = {"y": ("e",), "e": ("y",), "o": ("u",), "u": ("o",)}
    return [
        ("y, e, o, u: the other form", conjunctions, _is_conjunction),
        ("la, una before a stressed a", {"el": ("la",), "un": ("una",)}, _is_feminine),
        ("le for se before lo, la", {"se": ("le",)}, _is_dative),
    ]


def _french() -> list[tuple[str, Words, Held]]:
    elided = table("fr", "sounds")["elided"]
    whole: dict[str, tuple[str, ...]] = {}
    for full, form in elided.items():
        whole[form] = (*whole.get(form, ()), full)
    return [
        ("in full before a vowel", whole, lambda tree, at: _is_word(tree, at + 1)),
        ("elided before a consonant", {k: (v,) for k, v in elided.items()}, _is_full),
    ]


def _is_word(tree: Tree, at: int) -> bool:
    return at < len(tree.tokens) and tree.tokens[at].form[:1].isalpha()


def _is_article(tree: Tree, at: int) -> bool:
    """An article of a common noun ahead, and no numeral or pronoun."""
    noun, token = tree.head(at), tree.tokens[at]
    article = is_relation(token, "det") and feature(token, "PronType") == "Art"
    return noun is not None and noun > at and article and tree.tokens[noun].upos == "NOUN"


def _is_conjunction(tree: Tree, at: int) -> bool:
    return tree.tokens[at].upos == "CCONJ" and at > 0 and _is_word(tree, at + 1)


def _is_feminine(tree: Tree, at: int) -> bool:
    """A masculine article right before a feminine noun of its own."""
    noun = tree.head(at)
    return (
        noun == at + 1
        and is_relation(tree.tokens[at], "det")
        and tree.tokens[noun].upos == "NOUN"
        and feature(tree.tokens[noun], "Gender") == "Fem"
        and low(tree.tokens[noun]).removeprefix("h")[0] in "aá"
    )


def _is_dative(tree: Tree, at: int) -> bool:
    after = tree.tokens[at + 1] if at + 1 < len(tree.tokens) else None
    return after is not None and after.upos == "PRON" and low(after) in ("lo", "la", "los", "las")


def _is_full(tree: Tree, at: int) -> bool:
    """A word in full before a consonant; la and le as determiners, whose noun shows the gender."""
    token = tree.tokens[at]
    determiner = token.upos == "DET" and tree.head(at) is not None
    small = token.form.islower()
    return (
        token.space_after
        and small
        and (low(token) not in ("le", "la") or determiner)
        and _is_word(tree, at + 1)
        and tree.tokens[at + 1].form.isalpha()
        and tree.tokens[at + 1].form.islower()
    )


def mistaken(words: Words, held: Held, join: Join) -> Corrupt:
    """Another form of one such word of a sentence, drawn, outside of written tokens of several."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        places = [
            at
            for at, token in enumerate(utterance.tokens)
            if low(token) in words and alone(utterance, at) and held(tree, at)
        ]
        if not places:
            return
        at = choose.choice(places)
        token = utterance.tokens[at]
        form = with_initial_of(token.form, choose.choice(words[low(token)]))
        space = not form.endswith("'")
        yield with_token(utterance, at, replace(token, form=form, space_after=space), join)

    return corrupt


def agreeing(paradigms: Mapping[str, Paradigm], nouns: Nouns, join: Join) -> Corrupt:
    """Another gender or number; the number stays before a noun that has one form for both."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        for at, token in enumerate(utterance.tokens):
            paradigm = paradigms.get(low(token))
            if paradigm is None or not token.head or not is_relation(token, "det"):
                continue
            noun = utterance.tokens[token.head - 1]
            own = paradigm.agreement(low(token))
            keys = ["ms", "fs", "mp", "fp"]
            if nouns.is_invariable(noun):
                keys = [key for key in keys if key[1] == NUMBERS.get(own.number or "")]
            forms = sorted({getattr(paradigm, key) for key in keys} - {low(token)})
            if noun.upos == "NOUN" and token.head - 1 > at and forms:
                form = choose.choice(forms)
                said = paradigm.agreement(form)
                wrong = with_features(token, Gender=said.gender, Number=said.number)
                yield with_token(utterance, at, replace(wrong, form=recase(token.form, form)), join)

    return corrupt


def romance_articles(lang: str, possessives: Mapping[str, Paradigm], join: Join) -> Corrupt:
    """A definite article, right or wrong, before a possessive and its noun."""
    forms = sorted(read_words(table(lang, "possessives"), "words", "articles") - {"l'"})

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            noun = tree.head(at)
            if low(token) not in possessives or not is_relation(token, "det") or noun is None:
                continue
            if at < noun and tree.tokens[noun].upos == "NOUN" and alone(utterance, at):
                yield put_article(utterance, at, noun, choose.choice(forms), join)

    return corrupt


def romance_apart(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
    """A preposition and an article as two words."""
    for written in utterance.written:
        words = utterance.tokens[written.start : written.end]
        if [word.upos for word in words] != ["ADP", "DET"] or written.form.isupper():
            continue
        left: list[Written] = [one for one in utterance.written if one != written]
        first = replace(
            words[0], form=with_initial_of(written.form, low(words[0])), space_after=True
        )
        tokens: tuple[Token, ...] = (
            *utterance.tokens[: written.start],
            first,
            *utterance.tokens[written.start + 1 :],
        )
        yield replace(utterance, tokens=tokens, written=tuple(left))


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
