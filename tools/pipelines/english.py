"""English: what is trained on, what is kept out, and the two halves of the training."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.api import fix_random_seed

from tools.pipelines import (
    augment,
    clean,
    loop,
    novels,
    pipeline,
    raw,
    sources,
    taught,
    teacher,
    treebank,
    vectors,
    weights,
)
from tools.pipelines.loop import Say
from tools.pipelines.plan import Recipe
from tools.pipelines.sources import NameData, Sample, require
from tools.pipelines.treebank import Sentence
from tools.pipelines.vectors import WordVectors
from tools.pipelines.weights import Weights

LABELS = ("PER", "LOC", "ORG", "MISC")
HELD_OUT_NOVELS = (
    "105_persuasion",
    "113_the_secret_garden",
    "1400_great_expectations",
    "2814_dubliners",
    "345_dracula",
    "514_little_women",
    "541_the_age_of_innocence",
    "74_the_adventures_of_tom_sawyer",
)  # neither their annotation nor their text is trained on
DUMP = ("dumps", "enwiki-real-sample.xml.bz2")
GUM = ("ontogum", "ontogum.train.conll")
VECTORS, LABELLED = "vectors.npz", "labelled"  # in the work folder
TEACHER_EPOCHS = 3
NAMES = pipeline.Encoder(96, 6, 3, {"NORM": 3000, "SUFFIX": 2000, "SHAPE": 500}, vectors=True)
TREES = pipeline.Encoder(128, 5, 3, {"NORM": 2200, "SUFFIX": 1000, "SHAPE": 300}, vectors=True)
SYNTAX = pipeline.syntax(tags=True)
SILVER_CHARACTERS = 30_000  # of labelled paragraphs drawn from each other novel


def check(data: Path) -> None:
    """Raises DataMissing or TeacherMissing where something that is needed later is not there."""
    require(data, *DUMP)
    require(data, *GUM)
    sources.wikineural_parts(data, "en")
    require(data, "ner", "uner", "en_ewt-ud-dev.iob2")
    require(data, "ner", "uner", "en_pud-ud-test.iob2")
    require(data, "gap", "gap-development.tsv")
    require(data, "litbank", "conll")
    require(data, "litbank", "original")
    treebank_file(data, "train")
    treebank_file(data, "dev")
    teacher.weights()


def treebank_file(data: Path, part: str) -> Path:
    """The file of EWT's train or dev part."""
    return require(data, "ud", "en", f"en_ewt-ud-{part}.conllu")


def paragraphs(data: Path) -> list[list[Sentence]]:
    """EWT's training part, at most eight sentences of a paragraph together."""
    return list(treebank.groups(treebank.sentences(treebank_file(data, "train")), 8))


def known_not_names(group: Sequence[Sentence]) -> Sample:
    """A treebank's paragraph for the names' encoder: its sentences, and which words are no name."""
    text, starts, unknown = "", [], []
    for sentence in group:
        starts.append(len(text))
        for word, space in zip(sentence.words, sentence.spaces, strict=True):
            capital = word.upos in ("ADJ", "NOUN") and word.form[0].isupper()
            if capital or word.upos in ("PROPN", "X", "SYM"):
                unknown.append((len(text), len(text) + len(word.form)))
            text += word.form + " " * space
        text = text if text.endswith(" ") else text + " "
    return Sample(text, (), tuple(unknown), tuple(starts))


def books(data: Path) -> list[Path]:
    """The novels that may be read."""
    found = sorted((data / "litbank" / "original").glob("*.txt"))
    return [path for path in found if path.stem not in HELD_OUT_NOVELS]


def name_data(data: Path, seed: int) -> NameData:
    """All that the names' encoder is trained and scored on."""
    words = clean.word_tables("en")
    wiki, wiki_out = sources.divided_wikineural(data, "en", seed)
    chains, chains_out = list[Sample](), list[Sample]()
    for path in sorted((data / "litbank" / "conll").glob("*.conll")):
        out = path.name.removesuffix("_brat.conll") in HELD_OUT_NOVELS
        (chains_out if out else chains).extend(novels.litbank(path, words))
    labelled_novels = list[Sample]()
    for path in books(data):
        rng = random.Random(f"{seed} {path.stem}")
        labelled_novels += novels.silver(path, words, rng, SILVER_CHARACTERS)
    uner = data / "ner" / "uner"
    ewt_names = sources.uner(uner / "en_ewt-ud-dev.iob2")
    return NameData(
        train={
            "wikineural": clean.repair(wiki, words),
            "litbank": chains,
            "novels": [raw.with_starts(s, words) for s in labelled_novels],
            "gap": list(sources.gap(data / "gap" / "gap-development.tsv")),
            "ewt": [known_not_names(group) for group in paragraphs(data)],
            "uner": [sources.unsure_of_capitals(s) for s in ewt_names],
        },
        held_out={
            "WikiNEuRal, 10 % in blocks": wiki_out,
            "UNER PUD": list(sources.uner(uner / "en_pud-ud-test.iob2")),
            "LitBank, 8 novels": chains_out,
        },
    )


def unlabelled(data: Path, names: NameData, seed: int) -> dict[str, list[str]]:
    """Paragraphs that the teacher labels, none with a kept-out sentence."""
    words = clean.word_tables("en")
    kept_out = [s for part in names.held_out.values() for s in part]
    dump = data.joinpath(*DUMP)
    gum = novels.tokens(data.joinpath(*GUM))
    return {
        "dump": raw.dump_paragraphs(dump, "en", words, random.Random(seed), kept_out),
        "gum": [sources.from_words(w, sources.detokenise(w), ()).text for w in gum],
    }


def prepare(data: Path, work: Path, seed: int, say: Say) -> None:
    """Tunes the teacher, and takes its labels of raw text and its word vectors.

    A word's frequency counts in the text that is trained on, never in what is kept out.
    """
    if (work / VECTORS).exists():
        return
    names = name_data(data, seed)
    found = unlabelled(data, names, seed)
    reader = teacher.Teacher(LABELS, seed)
    reader.train(names.train["wikineural"], TEACHER_EPOCHS, say)
    words = clean.word_tables("en")
    labelled = taught.label(reader, found, words, say)
    given = names.train["gap"]
    labelled["gap"] = taught.merged(reader, given, words)
    taught.save(labelled, work / LABELLED)
    texts = [s.text for part in names.train.values() for s in part]
    texts += [text for part in found.values() for text in part]
    texts += [text for path in books(data) for text in novels.read_book(path)]
    listed = vectors.frequent(texts, reader.vocabulary())
    states = np.stack(list(reader.word_states(listed)))
    vectors.of_states(listed, states).save(work / VECTORS)
    say(f"vectors: {len(listed)} words in {vectors.ROWS} rows")


def blank(data: Path, work: Path) -> Language:
    """The untrained pipeline with its word vectors."""
    nlp = spacy.blank("en")
    pipeline.add_components(nlp, NAMES, TREES, tags=True)
    vectors.give(nlp, WordVectors.load(work / VECTORS))
    return nlp


MIX = augment.Mix(
    shares={"novels": 1 / 5, "gap": 1 / 4, "ewt": 2 / 3, "litbank": 1 / 2, "dump": 1 / 2},
    others=1,
    swapped={"novels": 0.5, "litbank": 0.5},
    others_swapped=0.15,
    single=0.4,
    joined={"wikineural": 5, "litbank": 5, "uner": 3},
)


def train_names(data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that find sentences and names."""
    samples = name_data(data, seed)
    samples.train.update(taught.load(work / LABELLED))
    fix_random_seed(seed)
    loop.announce(samples.train, say)
    names = augment.gather(s for part in samples.train.values() for s in part)
    nlp = blank(data, work)

    def examples(epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} {epoch}")
        return [loop.name_example(nlp, s) for s in augment.epoch(samples, names, MIX, rng)]

    plan = loop.Plan("names", epochs, words=800, rate=0.0015, drop=0.1)
    return weights.fit(nlp, pipeline.HOT, examples, plan, seed, say)


def train_syntax(data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that tag and parse."""
    fix_random_seed(seed)
    groups = paragraphs(data)
    say(f"trees: EWT train, {sum(map(len, groups))} sentences")
    nlp = blank(data, work)

    def examples(_: int) -> list[Example]:
        return [treebank.example(nlp.vocab, group, treebank.as_words) for group in groups]

    plan = loop.Plan("trees", epochs, words=600, rate=0.0015, drop=0.15)
    return weights.fit(nlp, SYNTAX, examples, plan, seed, say)


RECIPE = Recipe(
    lang="en",
    labels=LABELS,
    syntax=SYNTAX,
    meta={
        "name": "mini",
        "version": "0.2.0",
        "description": "Small English pipeline of corefmill: names, tags, lemmas, trees.",
        "license": "CC BY-NC-SA 4.0",
    },
    card="en_mini_card.md",
    licence="en_mini_licence.txt",
    epochs=6,
    tree_epochs=10,
    check=check,
    prepare=prepare,
    train_names=train_names,
    train_syntax=train_syntax,
    blank=blank,
    held_out=lambda data, seed: name_data(data, seed).held_out,
    treebank=lambda data, _: treebank_file(data, "dev"),
    inputs=("words", "text"),
)
