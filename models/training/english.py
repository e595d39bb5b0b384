"""English: what is trained on, what is kept out, and the two halves of the training."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.training import Example
from thinc.api import fix_random_seed

from models.training import augment, clean, loop, novels, pipeline, sources
from models.training.loop import Say
from models.training.sources import Sample, Tree, require

LABELS = ("PER", "LOC", "ORG", "MISC")
HELD_OUT_SHARE = 0.1  # of WikiNEuRal, by blocks of 50 sentences
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
SILVER_CHARACTERS = 30_000  # of labelled paragraphs drawn from each other novel


@dataclass(frozen=True)
class NameData:
    """Samples for the names' encoder by source: trained on, and kept out."""

    train: dict[str, list[Sample]]
    held_out: dict[str, list[Sample]]


def check(data: Path) -> None:
    """Raises DataMissing at once where something that is needed later is not there."""
    for part in ("en-train", "en-train2"):
        require(data, "ner", "wikineural", f"{part}.conllu")
    require(data, "ner", "uner", "en_ewt-ud-dev.iob2")
    require(data, "ner", "uner", "en_pud-ud-test.iob2")
    require(data, "gap", "gap-development.tsv")
    require(data, "litbank", "conll")
    require(data, "litbank", "original")
    treebank(data, "train")
    treebank(data, "dev")


def treebank(data: Path, part: str) -> Path:
    """The file of EWT's train or dev part."""
    return require(data, "ud", "en", f"en_ewt-ud-{part}.conllu")


def name_data(data: Path, seed: int) -> NameData:
    """All that the names' encoder is trained and scored on."""
    words = clean.word_tables("en")
    wiki = [
        sample
        for part in ("en-train", "en-train2")
        for sample in sources.wikineural(data / "ner" / "wikineural" / f"{part}.conllu")
    ]
    wiki, wiki_out = sources.held_out(wiki, HELD_OUT_SHARE, seed)
    chains, chains_out = list[Sample](), list[Sample]()
    for path in sorted((data / "litbank" / "conll").glob("*.conll")):
        out = path.name.removesuffix("_brat.conll") in HELD_OUT_NOVELS
        (chains_out if out else chains).extend(novels.litbank(path, words))
    books = list[Sample]()
    for path in sorted((data / "litbank" / "original").glob("*.txt")):
        if path.stem not in HELD_OUT_NOVELS:
            rng = random.Random(f"{seed} {path.stem}")
            books += novels.silver(path, words, rng, SILVER_CHARACTERS)
    uner = data / "ner" / "uner"
    ewt_names = sources.uner(uner / "en_ewt-ud-dev.iob2")
    paragraphs = sources.paragraphs(sources.trees(treebank(data, "train")))
    return NameData(
        train={
            "wikineural": clean.repair(wiki, words),
            "litbank": chains,
            "novels": books,
            "gap": list(sources.gap(data / "gap" / "gap-development.tsv")),
            "ewt": [sources.known_not_names(group) for group in paragraphs],
            "uner": [sources.unsure_of_capitals(s) for s in ewt_names],
        },
        held_out={
            "WikiNEuRal, 10 % in blocks": wiki_out,
            "UNER PUD": list(sources.uner(uner / "en_pud-ud-test.iob2")),
            "LitBank, 8 novels": chains_out,
        },
    )


# Of a source, the share drawn in each epoch, and how many samples make one document at most.
SHARES = {"novels": 1 / 5, "gap": 1 / 2, "ewt": 1 / 2}
JOINED = {"wikineural": 5, "litbank": 5, "uner": 3}


def epoch_samples(data: NameData, names: augment.Names, rng: random.Random) -> list[Sample]:
    """The samples of one epoch: a share of each source, names swapped, short samples joined."""
    samples: list[Sample] = []
    for source, part in data.train.items():
        drawn = rng.sample(part, round(len(part) * SHARES.get(source, 1)))
        swapped = [augment.swap(s, names, rng, share=0.2, single=0.5) for s in drawn]
        samples += sources.joined(swapped, rng, JOINED.get(source, 1))
    return samples


def train_names(data: Path, epochs: int, seed: int, say: Say) -> dict[str, bytes]:
    """The weights of the components that find sentences and names."""
    fix_random_seed(seed)
    samples = name_data(data, seed)
    for source, part in samples.train.items():
        say(f"names: {source}, {len(part)} samples, {sum(len(s.spans) for s in part)} names")
    names = augment.gather(s for part in samples.train.values() for s in part)
    nlp = pipeline.blank("en")

    def examples(epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} {epoch}")
        return [loop.name_example(nlp, sample) for sample in epoch_samples(samples, names, rng)]

    plan = loop.Plan("names", epochs, words=800, rate=0.0015, drop=0.1)
    return _fit(nlp, pipeline.HOT, examples, plan, seed, say)


def train_syntax(data: Path, epochs: int, seed: int, say: Say) -> dict[str, bytes]:
    """The weights of the components that tag and parse."""
    fix_random_seed(seed)
    groups = list(sources.paragraphs(sources.trees(treebank(data, "train"))))
    say(f"trees: EWT train, {sum(map(len, groups))} sentences")
    nlp = pipeline.blank("en")

    def examples(_: int) -> list[Example]:
        return [loop.tree_example(nlp, group) for group in groups]

    plan = loop.Plan("trees", epochs, words=600, rate=0.0015, drop=0.15)
    return _fit(nlp, pipeline.SYNTAX, examples, plan, seed, say)


def _fit(
    nlp: Language,
    components: Sequence[str],
    examples: loop.EpochExamples,
    plan: loop.Plan,
    seed: int,
    say: Say,
) -> dict[str, bytes]:
    with nlp.select_pipes(enable=list(components)):
        nlp.initialize(lambda: examples(0))
        loop.train(nlp, components, examples, plan, seed, say)
    pipes: list[Any] = [nlp.get_pipe(name) for name in components]
    return {pipe.name: pipe.to_bytes(exclude=["vocab"]) for pipe in pipes}


def held_out_trees(data: Path) -> list[list[Tree]]:
    """EWT dev in paragraphs, as it is read at inference."""
    return list(sources.paragraphs(sources.trees(treebank(data, "dev"))))
