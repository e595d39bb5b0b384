"""Italian: what is trained on, what is kept out, and the two halves of the training."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.api import fix_random_seed

from tools.pipelines import (
    augment,
    clean,
    harmonise,
    loop,
    mwt_it,
    pipeline,
    pretrain,
    raw,
    sources,
    treebank,
    weights,
)
from tools.pipelines.loop import Say
from tools.pipelines.plan import Recipe
from tools.pipelines.sources import NameData, Sample, letters, require
from tools.pipelines.treebank import Sentence
from tools.pipelines.weights import Weights

LABELS = ("PER", "LOC", "ORG", "MISC")
SYNTAX = pipeline.syntax(tags=False)
NOVEL = (6450, 8450)  # of KIND fiction, sentences of one novel that are trained on
HELD_OUT_TREES = "isdt-ud-dev"
PROSE = (
    "partut-ud-train",
    "partut-ud-dev",
    "vit-ud-dev",
    "vit-ud-test",
    "parlamint-ud-train",
    "parlamint-ud-test",
    "markit-ud-train",
    "markit-ud-dev",
    "markit-ud-test",
    "thvalico-ud-test",
)
REFERENCE = PROSE[:2] + PROSE[4:6]  # features as in ISDT; the others are adapted to them
TWEETS = ("postwita-ud-dev", "postwita-ud-test", "twittiro-ud-dev", "twittiro-ud-train")
PASSES = 2  # over the raw text
NAMES = pipeline.Encoder(96, 4, 2, {"NORM": 8000, "PREFIX": 1000, "SUFFIX": 3000, "SHAPE": 1000})
TREES = pipeline.Encoder(112, 5, 3, {"NORM": 4500, "PREFIX": 500, "SUFFIX": 2500, "SHAPE": 500})


def treebank_file(data: Path, part: str) -> Path:
    """The file of a treebank's part, such as "isdt-ud-dev"."""
    return require(data, "ud", "it", f"it_{part}.conllu")


def check(data: Path) -> None:
    """Raises DataMissing at once where something that is needed later is not there."""
    sources.wikineural_parts(data, "it")
    for part in ("fiction", "wikinews", "degasperi"):
        require(data, "ner", "kind", f"{part}_train.tsv")
    for part in (HELD_OUT_TREES, *PROSE, *TWEETS):
        treebank_file(data, part)


def held_out_trees(data: Path) -> list[Sentence]:
    """ISDT dev, never trained on."""
    return list(treebank.sentences(treebank_file(data, HELD_OUT_TREES)))


def training_trees(data: Path, tweets: bool = True) -> dict[str, list[Sentence]]:
    """The treebanks' sentences by part, without those that also stand in the held-out part."""
    kept = _kept_out(data)
    parts = {
        part: treebank.free_of(
            (s.closed() for s in treebank.sentences(treebank_file(data, part))), kept
        )
        for part in ((*PROSE, *TWEETS) if tweets else PROSE)
    }
    return harmonise.harmonise(parts, REFERENCE)


def _kept_out(data: Path) -> set[str]:
    return {letters(sentence.text) for sentence in held_out_trees(data)}


def blank(data: Path, _: Path) -> Language:
    """The untrained pipeline, its tokenizer with the rules for multiword tokens."""
    nlp = spacy.blank("it")
    set_tokenizer(nlp, [s for part in training_trees(data).values() for s in part])
    pipeline.add_components(nlp, NAMES, TREES, tags=False)
    return nlp


def set_tokenizer(nlp: Language, found: Sequence[Sentence]) -> None:
    """The rules for multiword tokens, with the verbs and the exceptions that the treebanks show."""
    infinitives = set[str]()
    for sentence in found:
        for word in sentence.words:
            verb = word.lemma
            if word.upos in ("VERB", "AUX") and verb.isalpha() and verb.islower() and len(verb) > 4:
                infinitives.add(verb)
    single, cut = treebank.token_uses(found)
    mwt_it.set_tokenizer(nlp, infinitives, {})
    seen: dict[str, list[str]] = {}
    for low in sorted(set(single) | set(cut)):
        if low in mwt_it.articulated() or not low.isalpha():
            continue
        ways = Counter({f: n for f, n in cut.get(low, {}).items() if "".join(f) == low})
        if not single[low] and not ways:
            continue
        ours = [token.text for token in nlp.make_doc(low)]
        best = list(ways.most_common(1)[0][0]) if ways.total() > single[low] else [low]
        if ours != best and len(low) > 3:
            seen[low] = best
    mwt_it.set_tokenizer(nlp, infinitives, seen)


ELIDED = frozenset(
    ["po'", "mo'", "di'", "da'", "fa'", "va'", "sta'", "be'", "de'", "ne'", "co'", "e'"]
)  # a space follows them


def detokenise(words: list[str]) -> list[bool]:
    """Whether a space follows each word, guessed as Italian is printed."""
    return sources.closed_up(words, sources.detokenise(words), ELIDED)


def kind(path: Path) -> Iterator[Sample]:
    """KIND: word, bare tag (PER, LOC, ORG or O); neighbours with one tag make one name."""
    for rows in sources.blocks(path):
        rows = [row for row in rows if len(row) == 2 and row[0].strip()]
        if not rows:
            continue
        words = [row[0] for row in rows]
        tags = ["O" if row[1] == "O" else f"I-{row[1]}" for row in rows]
        yield sources.from_words(words, detokenise(words), sources.names_of(tags))


def name_data(data: Path, seed: int) -> NameData:
    """All that the names' encoder is trained and scored on."""
    words = clean.word_tables("it")
    wiki, wiki_out = sources.divided_wikineural(data, "it", seed, detokenise)
    folder = data / "ner" / "kind"
    found = training_trees(data, tweets=False)

    def gold(part: str) -> list[Sample]:
        """KIND has no MISC, so nothing is assumed of its other capitalised words.

        Nor of its sentences, which end at colons too.
        """
        return [sources.unsure_of_capitals(s) for s in kind(folder / f"{part}_train.tsv")]

    fiction = list(kind(folder / "fiction_train.tsv"))
    novel = [unsure_of_capitals(_without_titles(s, words)) for s in fiction[slice(*NOVEL)]]
    return NameData(
        train={
            "wikineural": clean.repair(wiki, words),
            "wikinews": gold("wikinews"),
            "degasperi": gold("degasperi"),
            "treebanks": [
                treebank.known_not_names(group)
                for part in found.values()
                for group in treebank.groups(part, 6)
            ],
            "fiction": novel,
        },
        held_out={
            "WikiNEuRal, 10 % in blocks": wiki_out,
            "KIND fiction, less 2,000": fiction[: NOVEL[0]] + fiction[NOVEL[1] :],
        },
    )


def unsure_of_capitals(sample: Sample) -> Sample:
    """Capitalised words inside a sentence that carry no label become unknown, as MISC is missing.

    The first word of a sentence or of speech is none: a verb, a pronoun.
    """
    unknown = tuple(
        (m.start(), m.end())
        for m in re.finditer(r"(?<!\w)[^\W\d_a-z][\w'’.-]+", sample.text)
        if m.group()[0].isupper()
        and re.search(r"[^\W_][^.!?:«»“”—–]*$", sample.text[: m.start()])
        and not any(a < m.end() and m.start() < b for a, b, _ in sample.spans)
    )
    return replace(sample, unknown=unknown, starts=())


def _without_titles(sample: Sample, words: clean.Words) -> Sample:
    spans = (
        clean.trim(sample.text, span, words) if span[2] == "PER" else span for span in sample.spans
    )
    return replace(sample, spans=tuple(span for span in spans if span is not None))


# First everything is drawn from, then the weight lies on a novel.
FIRST = augment.Mix(
    shares={"wikineural": 1.0, "wikinews": 0.6, "degasperi": 0.4, "treebanks": 0.6},
    others=0,
    swapped={},
    others_swapped=0.2,
    single=0.5,
    joined={"wikineural": 5, "wikinews": 5, "degasperi": 5, "fiction": 4},
)
LAST = replace(
    FIRST,
    shares={"wikineural": 0.25, "wikinews": 0.2, "treebanks": 0.3, "fiction": 1.0},
    swapped={"fiction": 0.8},
)
LAST_EPOCHS = 2


def train_names(data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that find sentences and names."""
    fix_random_seed(seed)
    samples = name_data(data, seed)
    loop.announce(samples.train, say)
    names = augment.gather(s for source in FIRST.shares for s in samples.train[source])
    nlp = blank(data, work)

    def examples(epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} {epoch}")
        return [loop.name_example(nlp, s) for s in augment.epoch(samples, names, FIRST, rng)]

    def last_examples(epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} last {epoch}")
        return [loop.name_example(nlp, s) for s in augment.epoch(samples, names, LAST, rng)]

    plan = loop.Plan("names", epochs, words=800, rate=0.0015, drop=0.1)
    weights.fit(nlp, pipeline.HOT, examples, plan, seed, say)
    plan = loop.Plan("names, last", LAST_EPOCHS, words=800, rate=0.001, drop=0.1)
    return weights.fit(nlp, pipeline.HOT, last_examples, plan, seed, say, fresh=False)


def raw_texts(data: Path) -> list[str]:
    """Italian without annotation, free of the held-out trees' sentences."""
    lines = require(data, "parallel", "en_it.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [line.split("\t")[3] for line in lines]
    texts += raw.dump_texts(require(data, "dumps", "itwiki-real-sample.xml.bz2"), "it")
    for path in sources.wikineural_parts(data, "it"):
        texts += [s.text for s in sources.wikineural(path, detokenise)]
    for part in ("wikinews", "degasperi", "fiction"):
        texts += [s.text for s in kind(data / "ner" / "kind" / f"{part}_train.tsv")]
    texts += [s.text for part in training_trees(data, tweets=False).values() for s in part]
    return [" ".join(text.split()) for text in pretrain.without(texts, _kept_out(data))]


def train_syntax(data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that give morphology, lemmas and trees."""
    fix_random_seed(seed)
    unread = blank(data, work)
    encoder = pretrain.pretrain(unread, "tok2vec_syntax", raw_texts(data), PASSES, seed, say)
    start = {"tok2vec_syntax": encoder}
    nlp = blank(data, work)
    parts = training_trees(data, tweets=False)
    say(f"trees: {sum(map(len, parts.values()))} sentences of {len(parts)} files")

    def examples(epoch: int) -> list[Example]:
        return treebank.examples(nlp.vocab, parts, mwt_it.pieces, random.Random(f"{seed} {epoch}"))

    plan = loop.Plan("trees", epochs, words=600, rate=0.0015, drop=0.15)
    return weights.fit(nlp, SYNTAX, examples, plan, seed, say, start)


def prepare(data: Path, work: Path, seed: int, say: Say) -> None:
    """Nothing: the halves share no work."""


RECIPE = Recipe(
    lang="it",
    labels=LABELS,
    syntax=SYNTAX,
    meta={
        "multiword_tokens": True,  # pieces that touch are one written token
        "name": "mini",
        "version": "0.1.0",
        "description": "Small Italian pipeline of corefmill: names, features, lemmas, trees.",
        "license": "CC BY-NC-SA 4.0",
    },
    card="it_mini_card.md",
    licence="it_mini_licence.txt",
    epochs=5,
    tree_epochs=10,
    check=check,
    prepare=prepare,
    train_names=train_names,
    train_syntax=train_syntax,
    blank=blank,
    held_out=lambda data, seed: name_data(data, seed).held_out,
    treebank=lambda data, _: treebank_file(data, HELD_OUT_TREES),
    inputs=("sentences", "text"),
)
