"""The recipe of a language that has a WikiNEuRal, treebanks and perhaps novels (languages.toml)."""

import lzma
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.api import fix_random_seed

from corefmill.builders.persons.table import load as person_words
from corefmill.corpora.files import disk
from corefmill.corpora.languages import language_name as name_of
from tools.pipelines import (
    augment,
    clean,
    harmonise,
    loop,
    multiword,
    pipeline,
    pretrain,
    selftaught,
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
NAMES = pipeline.Encoder(96, 4, 2, {"NORM": 5000, "PREFIX": 500, "SUFFIX": 2500, "SHAPE": 500})
TREES = pipeline.Encoder(96, 4, 3, {"NORM": 4000, "PREFIX": 500, "SUFFIX": 2500, "SHAPE": 500})
HELD_OUT = 0.1  # of the reference treebanks, and at least so many sentences:
LEAST_HELD_OUT = 500
BLOCK = 10  # sentences that are kept out together
KEPT_NOVELS = 8  # every eighth novel is never read
READ = 60_000  # characters of a novel, for words' neighbours


def languages() -> list[str]:
    """The languages that have an entry in languages.toml."""
    return sorted(disk.read_package_table(__file__, "languages"))


def table(lang: str) -> dict[str, Any]:
    """What languages.toml says of the language."""
    found: dict[str, Any] = disk.read_package_table(__file__, "languages")[lang]
    return found


def words(lang: str) -> clean.Words:
    """The words about persons that the builders know, and the language's short forms."""
    known = person_words(lang)
    return clean.Words(
        titles=known.titles,
        name_like_titles=frozenset(),
        never_names=known.no_names,
        speech_verbs=known.saying,
        short_forms=frozenset(table(lang)["short_forms"]),
    )


def check(lang: str, data: Path) -> None:
    """Raises DataMissing at once where something that is needed later is not there."""
    sources.wikineural_parts(data, lang)
    for part in table(lang)["treebanks"]:
        require(data, "ud", lang, f"{part}.conllu")
    if table(lang)["novels"]:
        require(data, "eltec", lang)


def _blocks(lang: str, data: Path) -> Iterator[tuple[str, bool, list[list[list[str]]]]]:
    """Yield the treebanks' blocks: the part, whether the block is kept out, its columns."""
    reference = table(lang)["reference"]
    parts = {
        part: list(sources.blocks(require(data, "ud", lang, f"{part}.conllu")))
        for part in table(lang)["treebanks"]
    }
    share = max(HELD_OUT, LEAST_HELD_OUT / sum(len(parts[part]) for part in reference))
    for part, rows in parts.items():
        count = -(-len(rows) // BLOCK)
        size = math.ceil(count * share) if part in reference else 0
        out = set(random.Random(part).sample(range(count), size))
        for number in range(count):
            yield part, number in out, rows[number * BLOCK : (number + 1) * BLOCK]


def held_out_trees(lang: str, data: Path, work: Path) -> Path:
    """A tenth of the reference treebanks as one file, never trained on."""
    path = work / "held_out.conllu"
    treebank.write(_kept_rows(lang, data), path)
    return path


def _kept_rows(lang: str, data: Path) -> Iterator[list[list[str]]]:
    for _, out, block in _blocks(lang, data):
        if out:
            yield from block


def training_trees(lang: str, data: Path) -> dict[str, list[Sentence]]:
    """The treebanks' sentences by part, without those that also stand in what is kept out."""
    parts: dict[str, list[Sentence]] = {part: [] for part in table(lang)["treebanks"]}
    for part, out, block in _blocks(lang, data):
        if not out:
            parts[part] += [s.cuttable().closed() for s in treebank.of_rows(block)]
    kept = {letters(sentence.text) for sentence in treebank.of_rows(_kept_rows(lang, data))}
    free = {part: treebank.free_of(found, kept) for part, found in parts.items()}
    return harmonise.harmonise(free, table(lang)["reference"])


def blank(lang: str, data: Path, _: Path, encoder: pipeline.Encoder = NAMES) -> Language:
    """The untrained pipeline, its tokenizer with the multiword tokens of the treebanks."""
    nlp = spacy.blank(lang)
    found = [s for part in training_trees(lang, data).values() for s in part]
    multiword.set_exceptions(nlp, treebank.multiword_tokens(found))
    pipeline.add_components(nlp, encoder, TREES, tags=False)
    return nlp


def spacing(found: list[str]) -> list[bool]:
    """Whether a space follows each word: as in English, and none behind an elided word."""
    return sources.closed_up(found, sources.detokenise(found), frozenset())


def name_data(lang: str, data: Path, seed: int) -> NameData:
    """All that the names' encoder is trained and scored on, but for what it reads itself."""
    wiki, wiki_out = sources.divided_wikineural(data, lang, seed, spacing)
    capital_nouns = table(lang).get("capital_nouns", False)
    return NameData(
        train={
            "wikineural": clean.repair(wiki, words(lang)),
            "treebanks": [
                treebank.known_not_names(group, capital_nouns)
                for part in training_trees(lang, data).values()
                for group in treebank.groups(part, 6)
            ],
        },
        held_out={"WikiNEuRal, 10 % in blocks": wiki_out},
    )


def novels(lang: str, data: Path, characters: int, seed: int) -> list[list[str]]:
    """So many characters of each novel that may be read: paragraphs in a row, from anywhere."""
    if not table(lang)["novels"]:
        return []
    books = []
    for number, path in enumerate(sorted((data / "eltec" / lang).glob("*.txt.xz"))):
        if number % KEPT_NOVELS == 0:
            continue
        with lzma.open(path, "rt", encoding="utf-8") as text:
            paragraphs = [p for line in text if 60 < len(p := " ".join(line.split())) < 1500]
        size = sum(map(len, paragraphs))
        start = random.Random(f"{seed} {path.name}").random() * max(0, size - characters)
        book, at = list[str](), 0
        for paragraph in paragraphs:
            at += len(paragraph)
            if start <= at < start + characters:
                book.append(paragraph)
        books.append(book)
    return books


# First everything is drawn from; then the weight lies on the novels, whose persons are swapped.
FIRST = augment.Mix(
    shares={"wikineural": 1.0, "treebanks": 0.6},
    others=0,
    swapped={},
    others_swapped=0.2,
    single=0.5,
    joined={"wikineural": 5},
)
LAST = replace(
    FIRST,
    shares={"wikineural": 0.6, "treebanks": 0.3, "novels": 1.0},
    swapped={"novels": 0.7},
)


@dataclass(frozen=True)
class Turn:
    """The novels read, and what is trained on then."""

    mix: augment.Mix = LAST
    epochs: int = 2
    characters: int = 15_000  # read of each novel
    genitives: bool = False  # whether a person ends with a name's genitive: "Annas Hut"


TURNS = (Turn(), Turn())
LAST_TURNS = {
    # Novels have persons alone, so that every name of one word comes to be taken for a person. An
    # encyclopedia that has many of these has the last word, places swapped as often as they.
    "settle": Turn(
        replace(
            LAST,
            shares={"wikineural": 1.0, "treebanks": 0.1, "novels": 0.3},
            swapped={"novels": 0.5},
            single=0.1,
            places=1.0,
            linked=True,
        ),
        epochs=1,
    ),
    # Where every noun has a capital, a name is told from nouns by more places in a book.
    "far": Turn(
        replace(LAST, shares={"wikineural": 0.6, "treebanks": 0.3, "novels": 0.5}),
        characters=40_000,
        genitives=True,
    ),
}


def turns(lang: str) -> list[Turn]:
    """The readings of the novels: those of every language, and its own last one."""
    return [*TURNS, *(LAST_TURNS[name] for name in [table(lang).get("last_turn")] if name)]


def train_names(lang: str, data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that find sentences and names.

    What they find in the novels after the first epochs, made consistent within each book, is what
    the last ones are trained on beside the rest, at each of the language's turns.
    """
    samples = name_data(lang, data, seed)
    nlp = blank(lang, data, work)
    read = novels(lang, data, READ, seed)
    start = {}
    fix_random_seed(seed)
    if read:
        texts = [*(p for book in read for p in book), *_texts(samples.train["wikineural"])]
        unread = blank(lang, data, work)
        start["tok2vec"] = pretrain.pretrain(unread, "tok2vec", texts, 1, seed, say)
    fix_random_seed(seed)
    loop.announce(samples.train, say)
    names = augment.gather(samples.train["wikineural"])

    def examples(mix: augment.Mix, phase: int, epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} {phase} {epoch}")
        return [loop.name_example(nlp, s) for s in augment.epoch(samples, names, mix, rng)]

    plan = loop.Plan("names", epochs, words=800, rate=0.0015, drop=0.1)
    drawn = partial(examples, FIRST, 2)
    found = weights.fit(nlp, pipeline.HOT, drawn, plan, seed, say, start)
    for number, turn in enumerate(turns(lang) if read else ()):
        books = novels(lang, data, turn.characters, seed + 1)
        # What stands beside a name counts once the readings are better than the first ones.
        beside, genitives = number > 0, turn.genitives
        label = partial(selftaught.book, nlp, words=words(lang), beside=beside, genitives=genitives)
        samples.train["novels"] = [sample for book in books for sample in label(book)]
        loop.announce({"novels": samples.train["novels"]}, say)
        if number:
            fix_random_seed(seed + number)
        drawn = partial(examples, turn.mix, 3 + number)
        plan = loop.Plan("names, last", turn.epochs, words=800, rate=0.001, drop=0.1)
        found = weights.fit(nlp, pipeline.HOT, drawn, plan, seed, say, fresh=False)
    return found


def _texts(samples: list[Sample]) -> list[str]:
    return [sample.text for sample in samples]


def raw_texts(lang: str, data: Path, seed: int) -> list[str]:
    """Text without annotation, free of the held-out trees' sentences."""
    texts = [p for book in novels(lang, data, READ, seed) for p in book]
    for path in sources.wikineural_parts(data, lang):
        texts += _texts(list(sources.wikineural(path, spacing)))
    texts += [s.text for part in training_trees(lang, data).values() for s in part]
    kept = {letters(sentence.text) for sentence in treebank.of_rows(_kept_rows(lang, data))}
    return [" ".join(text.split()) for text in pretrain.without(texts, kept)]


def train_syntax(lang: str, data: Path, work: Path, epochs: int, seed: int, say: Say) -> Weights:
    """The weights of the components that give morphology, lemmas and trees."""
    fix_random_seed(seed)
    unread = blank(lang, data, work)
    texts = raw_texts(lang, data, seed)
    start = {"tok2vec_syntax": pretrain.pretrain(unread, "tok2vec_syntax", texts, 1, seed, say)}
    nlp = blank(lang, data, work)
    parts = training_trees(lang, data)
    say(f"trees: {sum(map(len, parts.values()))} sentences of {len(parts)} files")

    def examples(epoch: int) -> list[Example]:
        rng = random.Random(f"{seed} {epoch}")
        return treebank.examples(nlp.vocab, parts, multiword.pieces, rng)

    plan = loop.Plan("trees", epochs, words=600, rate=0.0015, drop=0.15)
    return weights.fit(nlp, SYNTAX, examples, plan, seed, say, start)


def _facts(lang: str) -> dict[str, str]:
    """What the card and the licence say of this language alone."""
    known = table(lang)
    treebanks = {part: about.split(", ") for part, about in known["treebanks"].items()}
    read = f"{READ:,} characters of each of seven novels in eight"
    use = "words' neighbours; persons by its own reading, made consistent within a book"
    return {
        "lang": lang,
        "language": name_of(lang),
        "treebanks": "\n".join(
            f"| UD {name} (`{part}`) | morphology, lemmas, trees, sentences | {licence} |"
            for part, (name, licence) in treebanks.items()
        ),
        "novels": f"| ELTeC {lang}, {read} | {use} | CC BY 4.0 |" if known["novels"] else "",
        "credits": "\n".join(
            f"- Universal Dependencies: {about}"
            for about in dict.fromkeys(known["treebanks"].values())
        ),
    }


def recipe(lang: str) -> Recipe:
    """The recipe of LANG_mini."""
    return Recipe(
        lang=lang,
        labels=LABELS,
        syntax=SYNTAX,
        meta={
            "multiword_tokens": True,  # pieces that touch are one written token
            "name": "mini",
            "version": "0.1.0",
            "description": f"Small {name_of(lang)} pipeline of corefmill: names and trees.",
            "license": "CC BY-NC-SA 4.0",
        },
        card="mini_card.md",
        licence="mini_licence.txt",
        facts=_facts(lang),
        home="tools/more_pipelines/corefmill_pipelines",
        epochs=3,
        tree_epochs=table(lang)["tree_epochs"],
        check=partial(check, lang),
        prepare=lambda *_: None,
        train_names=partial(train_names, lang),
        train_syntax=partial(train_syntax, lang),
        blank=partial(blank, lang),
        held_out=lambda data, seed: name_data(lang, data, seed).held_out,
        treebank=partial(held_out_trees, lang),
        inputs=("sentences", "text"),
    )
