"""Make `en_coref`, the English model of documents that ships, and measure it.

    python -m tools.en_coref prepare DATA out/en    # writes out/en/gum, out/en/litbank
    train coref --corpus out/en/gum,out/en/litbank --out MODEL ...   (as its card has it)
    python -m tools.en_coref pack MODEL FOLDER 0.5
    corefmill evaluate --model FOLDER --corpus out/en/gum,out/en/litbank --split test
    python -m tools.en_coref rule out/en/gum/test.jsonl rule.jsonl    # which learns nothing
    corefmill score out/en/gum/test.jsonl rule.jsonl --singletons drop
    python -m tools.en_coref gap FOLDER gap-validation.tsv > answers.tsv
    corefmill score gap-validation.tsv answers.tsv
    python -m tools.en_coref texts FOLDER tests/coref_model/documents/everyday.jsonl

DATA holds litbank/conll, ontogum, gum and gap. Every fifth novel of LitBank and OntoGUM's
development documents are the test split; a tenth of the others, by a hash of their names, is the
validation split. GUM's documents have OntoGUM's clusters and GUM's other mentions as clusters of
one. Half of GAP's development texts, in which two names and a pronoun are marked, are learnt from
as documents that are annotated in part.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import tomli_w

from corefmill.coref_model import load
from corefmill.coref_model.documents.agreement import (
    PRONOUN_GENDERS,
    THING,
    UNKNOWN,
    SpanName,
    find_name,
)
from corefmill.coref_model.encoder import tensors
from corefmill.coref_model.training import checkpoint
from corefmill.corpora import find, manifest, plain
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.writing import new_folder
from corefmill.corpora.formats import registry
from corefmill.corpora.records import Document, MaskedExample, Mention

Chars = tuple[int, int]
"""Characters of a text [start, end)."""

_LINKS = "ranker.pairs.last.bias"
"""The parameter that is a part of the score of every link."""
THIRD = {*PRONOUN_GENDERS, "they", "them", "their", "theirs", "themselves"}


def prepare(data: Path, out: Path) -> None:
    """Write the two corpora, each with train, validation and test."""
    with new_folder(out) as folder:
        novels = [
            list(_read(path, "conll2012")) for path in sorted((data / "litbank/conll").iterdir())
        ]
        litbank = {"test": [one for own in novels[4::5] for one in own]}
        rest = [one for at, own in enumerate(novels) if at % 5 != 4 for one in own]
        litbank["train"], litbank["validation"] = _held_out(rest, 0.1)
        _write(folder / "litbank", litbank)
        ontogum = find.find_corpus("ontogum", data_dir=data)
        train, test = (
            [one for one in find.records(ontogum, split) if isinstance(one, Document)]
            for split in ("train", "validation")
        )
        train, validation = _held_out(train, 0.1)
        with TemporaryDirectory() as scratch:
            unpacked = Path(scratch) / "gum.conllu"
            unpacked.write_bytes(lzma.decompress((data / "gum/gum.train.conllu.xz").read_bytes()))
            more = {one.doc_id: one for one in _read(unpacked, "corefud")}
        train = [add_mentions(one, more.get(one.doc_id)) for one in train]
        train += gap_documents(_read_gap(data / "gap/gap-development.tsv"))
        _write(folder / "gum", {"train": train, "validation": validation, "test": test})


def _read(path: Path, form: str) -> Iterator[Document]:
    for _, record in registry.get_format(form).read(path, "en"):
        assert isinstance(record, Document)
        yield record


def _draw(name: str) -> int:
    return int(sha256(name.encode()).hexdigest(), 16)


def _held_out(documents: Sequence[Document], share: float) -> tuple[list[Document], list[Document]]:
    drawn = sorted({one.doc_id for one in documents}, key=_draw)
    held = set(drawn[: round(share * len(drawn))])
    return (
        [one for one in documents if one.doc_id not in held],
        [one for one in documents if one.doc_id in held],
    )


def _write(folder: Path, splits: dict[str, list[Document]]) -> None:
    folder.mkdir()
    for split, documents in splits.items():
        tagged = (replace(o, meta={**o.meta, "convention": folder.name}) for o in documents)
        jsonl.write(folder / f"{split}.jsonl", tagged)


def add_mentions(document: Document, other: Document | None) -> Document:
    """Add the mentions of another annotation of the same words as clusters of one."""

    def words(one: Document) -> list[list[str]]:
        return [[token.form for token in sentence.tokens] for sentence in one.sentences]

    if other is None or words(other) != words(document):
        return document
    known = {one for own in document.clusters for one in own}
    every = dict.fromkeys(one for own in other.clusters for one in own if not one.zero)
    more = tuple((one,) for one in every if one not in known)
    return replace(document, clusters=(*document.clusters, *more))


def _read_gap(path: Path) -> list[MaskedExample]:
    read = (record for _, record in registry.get_format("gap").read(path, "en"))
    return [one for one in read if isinstance(one, MaskedExample)]


def gap_documents(examples: Iterable[MaskedExample]) -> Iterator[Document]:
    """Yield half of the examples whose pronoun means a name, as documents annotated in part."""
    for example in examples:
        if example.label is None or not 0 < _draw(example.id) % 10 < 6:
            continue
        document = plain.read_text(example.text, "en", example.id)
        found = [
            _mention(document, (start, end), possessive=True)
            for _, start, end in sorted(example.mentions)
        ]
        pronoun = _mention(document, example.target)
        known = [one for one in (*found, pronoun) if one is not None]
        if len(set(known)) < 3:
            continue
        first, second, target = known
        right, wrong = (second, first) if example.label else (first, second)
        own = sorted((right, target), key=lambda one: (one.sentence, one.start))
        yield replace(document, clusters=(tuple(own), (wrong,)), meta={"partial": True})


def _mention(document: Document, span: Chars, *, possessive: bool = False) -> Mention | None:
    """The tokens of a span, with the "'s" after it where GUM counts it to the mention."""
    for number, row in enumerate(document.offsets or ()):
        within = [at for at, (start, end) in enumerate(row) if start < span[1] and end > span[0]]
        if within:
            end = within[-1] + 1
            after = document.sentences[number].tokens[end : end + 1]
            end += possessive and bool(after) and after[0].form in ("'s", "’s", "'")
            return Mention(number, within[0], end) if row[within[-1]][1] >= span[1] else None
    return None


def pack(model: Path, out: Path, raised: float = 0.0) -> None:
    """Write the model in half precision, without the files that only its training needed.

    `raised` is added to the score of every link: chosen on the validation splits.
    """
    found = checkpoint.read(model)
    with new_folder(out) as folder:
        halved = {
            name: (tensor + raised * (name == _LINKS)).half()
            if tensor.is_floating_point()
            else tensor
            for name, tensor in found.read_tensors().items()
        }
        tensors.save(halved, folder / checkpoint.WEIGHTS)
        corpora = {
            name: {key: value for key, value in one.items() if key != "source"}
            for name, one in found.model.corpora.items()
        }
        made = replace(
            found.model, sha256=manifest.sha256(folder / checkpoint.WEIGHTS), corpora=corpora
        )
        (folder / checkpoint.MODEL).write_text(tomli_w.dumps(asdict(made)), encoding="utf-8")
        if found.model.encoder.trained:
            (folder / checkpoint.ENCODER).mkdir()
            for path in sorted((model / checkpoint.ENCODER).iterdir()):
                (folder / checkpoint.ENCODER / path.name).write_bytes(path.read_bytes())


def by_rule(document: Document) -> Document:
    """Link names of one string, and each pronoun to the nearest earlier name of a fitting gender.

    A name is a longest run of words that `find_name` knows; first and second persons, and plural
    pronouns without a name before them, are clusters of their own by their string.
    """
    clusters: dict[object, list[Mention]] = {}
    before: list[SpanName] = []
    for number, sentence in enumerate(document.sentences):
        forms = [token.form for token in sentence.tokens]
        at = 0
        while at < len(forms):
            end = next((e for e in range(min(at + 6, len(forms)), at, -1) if _run(forms[at:e])), 0)
            word = forms[at].lower()
            if end:
                name = find_name(forms[at:end], document.lang)
                clusters.setdefault(name.words, []).append(Mention(number, at, end))
                before.append(name)
            elif word in THIRD:
                wanted = PRONOUN_GENDERS.get(word, UNKNOWN) % THING
                fits = (one for one in reversed(before) if one.gender in (wanted, UNKNOWN))
                found = next(fits, None)
                key: object = found.words if found else word
                clusters.setdefault(key, []).append(Mention(number, at, at + 1))
            elif word in ("i", "me", "my", "we", "us", "our", "you", "your"):
                clusters.setdefault(word, []).append(Mention(number, at, at + 1))
            at = max(end, at + 1)
    return replace(document, clusters=tuple(map(tuple, clusters.values())))


def _run(forms: Sequence[str]) -> bool:
    return all(one[:1].isupper() or one == "." for one in (forms[0], forms[-1])) and bool(
        find_name(forms).words
    )


def _answer(model: str, texts: dict[str, str]) -> Iterator[list[list[Chars]]]:
    """The clusters of each text, as characters without a possessive "'s" and an article."""
    documents = [plain.read_text(text, "en", name) for name, text in texts.items()]
    rule_itself = (by_rule(one) for one in documents)
    for answer in rule_itself if model == "rule" else load(model).records(documents):
        assert isinstance(answer, Document) and answer.text is not None
        yield [
            [bare(answer.text, *answer.locate(mention)) for mention in cluster]
            for cluster in answer.clusters
        ]


def bare(text: str, start: int, end: int) -> Chars:
    """The span without a possessive "'s" at its end and an article at its start."""
    end -= 2 * text[start:end].endswith(("'s", "’s"))
    first, _, rest = text[start:end].partition(" ")
    return (start + len(first) + 1 if rest and first.lower() in ("the", "a", "an") else start), end


def _name(text: str, span: Chars) -> SpanName:
    return find_name(text[slice(*span)].replace(".", " . ").split())


def gap(model: str, path: Path) -> None:
    """Print GAP's answers by clusters: a name is meant if it, or a part of it, is there."""
    examples = _read_gap(path)
    answers = _answer(model, {one.id: one.text for one in examples})
    for example, clusters in zip(examples, answers, strict=True):
        own = next((c for c in clusters if example.target in c), [])
        row = [False, False]
        for number, start, end in example.mentions:
            name = set(_name(example.text, (start, end)).words)
            for a, b in own:
                if a < end and b > start:
                    other = set(_name(example.text, (a, b)).words)
                    row[number] |= (a, b) == (start, end) or bool(
                        other and name and (name <= other or other <= name)
                    )
        print(example.id, *row, sep="\t")


def texts(model: str, path: Path) -> dict[str, float]:
    """Score texts with gold clusters as characters, {id, text, clusters} a line.

    A pronoun is right where its cluster holds a name of its own, or another mention where its gold
    cluster has no name, and no name of anybody else.
    """
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    counts: Counter[str] = Counter()
    answers = _answer(model, {one["id"]: one["text"] for one in read})
    for one, clusters in zip(read, answers, strict=True):
        text = one["text"]
        where = {span: number for number, own in enumerate(clusters) for span in own}
        gold = [[bare(text, start, end) for start, end, _ in own] for own in one["clusters"]]
        named = [[span for span in own if _name(text, span).words] for own in gold]
        home = {span: number for number, own in enumerate(named) for span in own}
        for number, own in enumerate(gold):
            for at, span in enumerate(named[number]):
                counts["names"] += 1
                counts["found"] += span in where
                earlier = {where.get(other) for other in named[number][:at]} - {None}
                counts["repeated"] += at > 0
                counts["linked"] += at > 0 and where.get(span) in earlier
            for span in own:
                if text[slice(*span)].lower() in THIRD:
                    mates = set(clusters[where[span]]) - {span} if span in where else set()
                    wanted = set(named[number] or own)
                    clean = all(home.get(mate, number) == number for mate in mates)
                    counts["pronouns"] += 1
                    counts["right"] += clean and bool(mates & wanted)
    return {
        **counts,
        "names found": counts["found"] / counts["names"],
        "repeated names linked": counts["linked"] / max(1, counts["repeated"]),
        "pronouns right": counts["right"] / counts["pronouns"],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Do one of the steps above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("step", choices=("prepare", "pack", "rule", "gap", "texts"))
    parser.add_argument("what", nargs="+", help="folders, files, or a model (or `rule`) and a file")
    given = parser.parse_args(arguments)
    what = given.what
    if given.step == "prepare":
        prepare(*map(Path, what))
    elif given.step == "pack":
        pack(Path(what[0]), Path(what[1]), *map(float, what[2:]))
    elif given.step == "rule":
        jsonl.write(Path(what[1]), map(by_rule, jsonl.read(Path(what[0]), Document)))
    elif given.step == "gap":
        gap(what[0], Path(what[1]))
    else:
        print(json.dumps(texts(what[0], Path(what[1]))))


if __name__ == "__main__":
    main()
