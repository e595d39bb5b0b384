"""What a corpus's name stands for, which records are in which split, and the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translate.source_side.source import find_files
from corefmill.corpora import find as corpora_found
from corefmill.corpora import manifest
from corefmill.corpora.catalogue import DataDir, entries, entry
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.find import (
    FoundCorpus,
    choose_split,
    count,
    find_corpora,
    find_corpus,
    fingerprint,
    hold_out_validation,
    records,
    source_of,
)
from corefmill.corpora.formats import conll2012, native, registry
from corefmill.corpora.formats.registry import FORMATS
from corefmill.corpora.records import (
    KINDS,
    Document,
    EventMention,
    MaskedExample,
    Record,
    Sentence,
    Source,
    Token,
)
from corefmill.corpora.splits import group_by_split, make_relative, split_of
from tests.corpora.test_records import EVENT, EXAMPLE, MANIFEST
from tests.corpora.test_records import document as full_document

NOWHERE = Path("nowhere")


def masked(number: int, title: str = "", answer: str = "Ann") -> MaskedExample:
    source = Source(title, 0)
    return replace(EXAMPLE, id=str(number), candidates=(answer, "Bob"), source=source)


def event(number: int, cluster: str, **meta: Any) -> EventMention:
    return replace(EVENT, id=str(number), cluster=cluster, meta=meta)


def document(name: str, part: int = 0) -> Document:
    return replace(full_document(), doc_id=name, part=part)


def corpus(folder: Path, schema: str = "masked-example/1", **splits: Sequence[Record]) -> Path:
    """A corpus as `build` leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        jsonl.write(folder / f"{split}.jsonl", rows)
    counts = {split: len(rows) for split, rows in splits.items()}
    made = replace(MANIFEST, name=folder.name, schema=schema, splits=counts)
    manifest.write(folder, made)
    return folder


def find(name: str | Path, data_dir: Path = NOWHERE, **more: Any) -> FoundCorpus:
    return find_corpus(str(name), data_dir=data_dir, **more)


def ids(of: FoundCorpus, split: str) -> list[str]:
    return [record.id for record in records(of, split)]  # type: ignore[union-attr]


def test_a_corpus_that_build_made_by_its_folder_and_by_its_name_in_out(tmp_path: Path) -> None:
    folder = tmp_path / "wikicrem-en"
    corpus(folder, train=[masked(1), masked(2)], validation=[masked(3)])
    one = find(folder)
    names = (one.name, one.kind, one.lang, one.source)
    assert names == ("wikicrem-en", "masked", "en", str(folder))
    assert (ids(one, "train"), ids(one, "validation")) == (["1", "2"], ["3"])
    again = records(one, "train")
    assert list(again) == list(again), "they can be gone through again"
    assert count(one, "train") == 2
    assert find("wikicrem", out=tmp_path).source == str(folder)
    assert find("wikicrem-en", out=tmp_path).name == "wikicrem-en"
    corpus(tmp_path / "wikicrem-it", train=[masked(2)])
    with pytest.raises(UsageError, match=r"several languages: wikicrem-en, wikicrem-it"):
        find("wikicrem", out=tmp_path)
    assert ids(find("wikicrem", out=tmp_path, lang="it"), "train") == ["2"]


def test_a_corpus_of_the_catalogue_by_name_and_by_its_folder(tmp_path: Path) -> None:
    row = "{}\tAnn met Bob and she left.\tshe\t16\tAnn\t0\tTRUE\tBob\t8\tFALSE\thttp://x/A\n"
    head = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    (tmp_path / "gap").mkdir()
    (tmp_path / "gap/gap-development.tsv").write_text(head + row.format("d"))
    (tmp_path / "gap/gap-validation.tsv").write_text(head + row.format("v"))
    for one in (find("gap", tmp_path), find(tmp_path / "gap")):
        # GAP's development set is what models train on.
        assert (ids(one, "train"), ids(one, "validation")) == (["d"], ["v"])
        assert (one.name, one.format) == ("gap", "gap")
    (tmp_path / "gap/mine.tsv").write_text(head + row.format("m"))
    (tmp_path / "gap/notes.txt").write_text("none")
    assert find(tmp_path / "gap").found_in.endswith(" (files there that are not read: 1)")


def test_a_corpus_that_ships_comes_last_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora_found, "SAMPLES", tmp_path / "ships")
    corpus(tmp_path / "ships/wec", "event-mention/1", train=[event(1, "c")])
    assert "ships with corefmill" in find("wec", out=tmp_path / "out").source
    corpus(tmp_path / "out/wec-en", "event-mention/1", train=[event(2, "c")])
    assert ids(find("wec", out=tmp_path / "out"), "train") == ["2"]


def test_files_of_a_folder_by_the_split_in_their_names(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "my-train-1.jsonl", [masked(1)])
    jsonl.write(tmp_path / "my-train-2.jsonl", [masked(2)])
    jsonl.write(tmp_path / "my-dev.jsonl", [masked(3)])
    one = find(tmp_path)
    assert (ids(one, "train"), ids(one, "validation")) == (["1", "2"], ["3"])
    jsonl.write(tmp_path / "more.jsonl", [masked(4)])
    with pytest.raises(UsageError, match=r"more\.jsonl is of no split"):
        find(tmp_path)


@pytest.mark.parametrize("own", [{}, {"split": "train"}])
def test_event_mentions_are_read_once(
    own: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonl.write(tmp_path / "e.jsonl", [event(i, f"c{i}", **own) for i in range(4)])
    form = native.BY_SCHEMA["event-mention/1"]
    opened: list[Path] = []

    def counted(path: Path, lang: str) -> Any:
        opened.append(path)
        return form.read(path, lang)

    monkeypatch.setitem(registry.FORMATS, form.name, replace(form, read=counted))
    monkeypatch.setattr(registry, "detect_format", lambda path: registry.FORMATS[form.name])
    one = hold_out_validation(
        corpora_found.load_records(find(tmp_path / "e.jsonl"), lambda record: record), 0.3, 0
    )
    assert (count(one, "train"), count(one, "validation")) == (2, 2)
    assert len(opened) == 1


def test_records_that_say_their_split_all_do(tmp_path: Path) -> None:
    rows = [event(i, "c", split=split) for i, split in enumerate(["train", "dev", "train"])]
    jsonl.write(tmp_path / "e.jsonl", rows)
    one = find(tmp_path / "e.jsonl")
    assert list(one.splits) == ["train", "validation"]
    assert (ids(one, "train"), ids(one, "validation")) == (["0", "2"], ["1"])
    jsonl.write(tmp_path / "e.jsonl", [*rows, event(3, "c")])
    with pytest.raises(DataError, match="1 of 4 mentions name no split, others name train and"):
        find(tmp_path / "e.jsonl")


def test_an_unsplit_corpus_of_the_catalogue_may_lie_in_folders_called_as_splits(
    tmp_path: Path,
) -> None:
    (shipped,) = corpora_found.SAMPLES.glob("documents/train.conll")
    for split in ("train", "test"):
        path = tmp_path / "litbank" / split / "conll" / "a.conll"
        path.parent.mkdir(parents=True)
        path.write_bytes(shipped.read_bytes())
    assert list(find("litbank", tmp_path).splits) == ["train", "test"]


@pytest.mark.parametrize(
    ("schema", "rows", "groups"),
    [
        ("masked-example/1", [masked(i, f"page {i // 3}") for i in range(30)], 10),
        ("masked-example/1", [masked(i, answer=f"A{i // 2}"[:3]) for i in range(16)], 8),
        ("event-mention/1", [event(i, f"cluster {i % 10}") for i in range(40)], 10),
        ("event-mention/1", [event(i, f"{i}", topic=f"{i % 5}ecb") for i in range(20)], 5),
        ("document/1", [document(f"d{i // 2}", i % 2) for i in range(20)], 10),
    ],
)
def test_what_is_held_out_is_whole_sources(
    tmp_path: Path, schema: str, rows: list[Record], groups: int
) -> None:
    one = hold_out_validation(find(corpus(tmp_path, schema, train=rows)), share=0.2, seed=1)
    train, dev = list(records(one, "train")), list(records(one, "validation"))
    assert sorted(map(rows.index, train + dev)) == list(range(len(rows)))
    sources = [{source_of(row) for row in part} for part in (train, dev)]
    assert not sources[0] & sources[1]
    assert len(sources[0] | sources[1]) == groups
    assert 0.2 * len(rows) <= len(dev) < 0.2 * len(rows) + len(rows) / groups
    again = hold_out_validation(find(tmp_path), share=0.2, seed=1)
    assert list(records(again, "validation")) == dev
    other = [hold_out_validation(find(tmp_path), share=0.2, seed=seed) for seed in range(2, 9)]
    assert any(list(records(one, "validation")) != dev for one in other)


@pytest.mark.parametrize("case", ["masked", "a single page", "events"])
def test_what_shares_a_group_or_a_lemma_is_not_divided_by_holding_out(
    case: str, tmp_path: Path
) -> None:
    """Near-duplicates are a group; articles that it joins are one source, as are clusters with one
    commonest lemma. Of a single source only groups stay together."""
    groups = {1: 1, 20: 1, 7: 7, 30: 7, 21: 7}  # page 10 has examples of both
    pages = [{number, number + 1} for number in range(0, 60, 2)]
    together = [*pages, {*groups}]
    title = "page" if (single := case == "a single page") else "page {}"
    rows: list[Record] = [
        replace(masked(i, title.format(i // 2)), meta={"group": groups[i]} if i in groups else {})
        for i in range(60)
    ]
    if single:
        together = [{1, 20}, {7, 21, 30}]
    if case == "events":
        groups = dict.fromkeys((0, 20, 21, 7, 6, 30, 31), 0)  # and mention 1 is called otherwise
        rows = [replace(event(i, f"{i // 2}"), lemma=f"{groups.get(i, i)}") for i in range(60)]
    schema = KINDS["events" if case == "events" else "masked"].schema
    for seed in range(20):
        made = corpus(tmp_path / str(seed), schema, train=rows)
        drawn = hold_out_validation(find(made), 0.3, seed)
        dev, train = ({int(i) for i in ids(drawn, split)} for split in ("validation", "train"))
        assert drawn.held_out and drawn.held_out.single == single
        assert not dev & train and len(dev) >= 18
        assert all(one <= dev or one <= train for one in together), seed


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_something_is_left_to_train_on_whatever_the_share(tmp_path: Path, share: float) -> None:
    rows = [masked(0, "short"), *(masked(i, "long") for i in range(1, 9))]
    for seed in range(8):
        drawn = hold_out_validation(find(corpus(tmp_path / str(seed), train=rows)), share, seed)
        assert count(drawn, "train") and count(drawn, "validation")


def test_the_fingerprint_is_of_the_bytes_and_the_share(tmp_path: Path) -> None:
    rows = [masked(i, str(i)) for i in range(9)]
    one = find(corpus(tmp_path / "a", train=rows))
    assert fingerprint(one) == fingerprint(find(corpus(tmp_path / "b", train=rows)))
    assert fingerprint(one) != fingerprint(find(corpus(tmp_path / "c", train=rows[1:])))
    drawn = {fingerprint(hold_out_validation(one, 0.5, seed)) for seed in (0, 1)}
    assert len({fingerprint(one), *drawn}) == 3


def test_a_name_of_the_catalogue_is_no_other_corpus_with_a_language(tmp_path: Path) -> None:
    """`ontonotes` was the Italian translation where that had been built."""
    corpus(tmp_path / "out/ontonotes-it", "document/1", train=[document("d", 0)])
    for lang in (None, "it"):
        found_here = find("ontonotes", out=tmp_path / "out", lang=lang)
        assert "ships with corefmill" in found_here.source
    assert find("ontonotes-it", out=tmp_path / "out").source == str(tmp_path / "out/ontonotes-it")
    corpus(tmp_path / "out/gap-it", train=[masked(1)])
    with pytest.raises(UsageError, match="the corpus gap is not in the folder nowhere"):
        find("gap", out=tmp_path / "out")
    corpus(tmp_path / "out/ontonotes", "document/1", train=[document("d", 0)])
    assert find("ontonotes", out=tmp_path / "out").source == str(tmp_path / "out/ontonotes")


def test_several_corpora_of_one_kind(tmp_path: Path) -> None:
    corpus(tmp_path / "a", train=[masked(1)])
    corpus(tmp_path / "b", train=[masked(2)])
    corpus(tmp_path / "e", "event-mention/1", train=[event(1, "c")])
    both = find_corpora("a, b", data_dir=NOWHERE, out=tmp_path)
    assert [one.name for one in both] == ["a", "b"]
    with pytest.raises(UsageError, match="a holds masked examples, but e holds event mentions"):
        find_corpora("a,e", data_dir=NOWHERE, out=tmp_path)
    with pytest.raises(UsageError, match="two corpora are named a"):
        find_corpora("a,a", data_dir=NOWHERE, out=tmp_path)
    files = (tmp_path / "a/train.jsonl", tmp_path / "b/train.jsonl")
    with pytest.raises(UsageError, match=r"b/train\.jsonl: two corpora are named train"):
        find_corpora(",".join(map(str, files)), data_dir=NOWHERE)
    with pytest.raises(UsageError, match="no corpus is named"):
        find_corpora(",", data_dir=NOWHERE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gapp", r"no corpus 'gapp', did you mean gap\?"),
        (
            "gap",
            r"gap is not in the folder nowhere: `corefmill corpora download gap`.*with --data-dir",
        ),
        ("wec", r"the corpus wec is not in out/ \(build wec --lang en makes it"),
        ("some/where", r"no file or folder some/where"),
    ],
)
def test_what_is_not_here(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        find(name, out=tmp_path)


def test_what_is_empty_or_lacks_a_split(tmp_path: Path) -> None:
    (tmp_path / "none.conll").touch()
    (tmp_path / "bare").mkdir()
    corpus(tmp_path / "zero", train=[], validation=[])
    one = corpus(tmp_path / "one", train=[masked(1, "a"), masked(2, "a")])
    test = corpus(tmp_path / "test", test=[masked(1)])
    jsonl.write(tmp_path / "one/train.jsonl", [])

    def refused(said: str, what: Any) -> None:
        with pytest.raises(CorefmillError, match=said):
            what()

    refused("this file is empty", lambda: find(tmp_path / "none.conll"))
    refused("no file in this folder is of a known format", lambda: find(tmp_path / "bare"))
    refused("this corpus is empty", lambda: find(tmp_path / "zero"))
    refused("the train split of one is empty", lambda: count(find(one), "train"))
    refused("the train split of one is empty", lambda: hold_out_validation(find(one), 0.1, 0))
    refused("one has no test split, only train", lambda: records(find(one), "test"))
    other = corpus(tmp_path / "other", Uncontrolled=[masked(1)])
    refused(
        r"other has no test, validation or train split \(choose one with --split Uncontrolled\)",
        lambda: choose_split(find(other), None),
    )
    refused("other has no dev split", lambda: choose_split(find(other), "dev"))
    assert choose_split(find(other), "Uncontrolled") == "Uncontrolled"
    both = corpus(tmp_path / "both", train=[masked(1)], validation=[masked(2)])
    assert choose_split(find(both), "dev") == "validation"
    every = replace(find(both), splits={"train": [], "all": [], "validation": []})
    assert choose_split(every, None) == "validation"
    refused("test has no train split, only test", lambda: hold_out_validation(find(test), 0.1, 0))
    jsonl.write(tmp_path / "one/train.jsonl", [masked(1, "a")])
    refused(
        r"all its records are from a single source \(build it from several texts",
        lambda: hold_out_validation(find(one), 0.1, 0),
    )


def test_a_folder_of_several_corpora_or_formats(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "train.jsonl", [masked(1)])
    jsonl.write(tmp_path / "dev.jsonl", [event(1, "c")])
    with pytest.raises(UsageError, match="several formats: native-events, native-masked"):
        find(tmp_path)
    (tmp_path / "gap-validation.tsv").touch()
    (tmp_path / "train.c.txt").touch()
    with pytest.raises(UsageError, match=r"holds several corpora: gap, dpr \(name one of them"):
        find(tmp_path)


@pytest.mark.parametrize("name", entries())
def test_every_entry_is_whole(name: str) -> None:
    one = entry(name)
    assert FORMATS[one.format].schema == KINDS[one.kind].schema
    assert one.url.startswith("https://") and one.get.endswith(".") and one.licence
    assert one.files and all(paths for way in one.files for paths in way.values())


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"did you mean wec-eng.*litbank"):
        entry("wec_eng")


def touch(top: Path, *paths: str) -> DataDir:
    for path in paths:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
    return DataDir(top)


def files_of(here: DataDir, name: str) -> dict[str, list[str]]:
    return {
        split: [path.relative_to(here.top).as_posix() for path in paths]
        for split, paths in here.find(entry(name)).items()
    }


def test_files_are_found_at_any_depth_by_the_first_pattern_that_is_there(tmp_path: Path) -> None:
    grande = ("winogrande/train_s.tsv", "winogrande/train_m.tsv")
    gap = ("gap-development.tsv", "a/b/gap-test.tsv", ".hidden/gap-validation.tsv")
    here = touch(tmp_path, *gap, *grande)
    assert files_of(here, "gap") == {"train": ["gap-development.tsv"], "test": ["a/b/gap-test.tsv"]}
    assert files_of(here, "dpr") == {}
    assert files_of(here, "winogrande") == {"train": ["winogrande/train_m.tsv"]}


def test_corpora_that_builders_made_are_found(tmp_path: Path) -> None:
    (tmp_path / "out" / "wikicrem-en").mkdir(parents=True)
    manifest.write(tmp_path / "out" / "wikicrem-en", MANIFEST)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{}")
    assert DataDir(tmp_path).list_built() == [(tmp_path / "out" / "wikicrem-en", MANIFEST)]


def lay_documents(path: Path, *words: str) -> Path:
    """A file of one document for each word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "the quick brown fox jumps over the lazy dog near the river bank and sees a"
    rows = [
        Document(f"x/{word}", 0, "en", (Sentence(tuple(map(Token, [*text.split(), word]))),), ())
        for word in words
    ]
    conll2012.FORMAT.write(path, rows)  # type: ignore[misc]
    return path


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("ontogum.dev.conll", "validation"),
        ("development/data/english/annotations/nw/wsj/00/a.gold_conll", "validation"),
        ("en_gum-corefud-train.conllu", "train"),
        ("training2/a.conll", "train"),
        ("x/test/latest.conll", "test"),
        ("x.val.conll", "validation"),
        ("x.eval.conll", "test"),
        ("dev/x.conll", "validation"),
        ("test/test.conll", "test"),
        ("novel.conll", None),
        ("trained/validated.conll", None),
    ],
)
def test_words_of_names_say_the_split(name: str, split: str | None) -> None:
    assert split_of(Path(name)) == split


@pytest.mark.parametrize("name", ["test/train-station.conll", "train/dev/a.conll"])
def test_names_that_differ_are_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=r"the path names two splits: .* says .*, the folder .* says "
    ):
        split_of(Path(name))


def test_what_stands_above_the_corpus_says_nothing(tmp_path: Path) -> None:
    top = tmp_path / "test" / "corpus"
    files = [lay_documents(top / split / "a.conll", "a") for split in ("train", "dev")]
    assert make_relative(files[0], [top]) == Path("train/a.conll")
    assert [make_relative(file, files) for file in files] == [
        Path("train/a.conll"),
        Path("dev/a.conll"),
    ]
    assert group_by_split(files, top) == {"train": files[:1], "validation": files[1:]}
    assert make_relative(files[0], files[:1]) == Path("a.conll")
    assert make_relative(top, [top]) == Path("corpus")  # a folder that a format reads whole


@pytest.mark.parametrize(
    "names",
    [
        ("train/a.conll", "dev/a.conll", "test/a.conll"),
        ("x.train.conll", "x.val.conll", "x.eval.conll"),
        ("train/nw/0/a.conll", "valid/bc/b.conll"),
    ],
)
def test_training_checking_and_building_agree(names: tuple[str, ...], tmp_path: Path) -> None:
    files = [lay_documents(tmp_path / name, name) for name in names]
    expected = dict(zip(files, ("train", "validation", "test"), strict=False))
    corpus = corpora_found.open_corpus(tmp_path)
    assert list(corpus.splits) == list(expected.values())
    assert {file: split for split, own in corpus.splits.items() for file in own} == expected
    assert {file.path: file.split for file in find_files(tmp_path, "en")} == expected
    checker = Checker()
    list(checker.check([tmp_path]))
    assert checker.splits == expected


def test_no_test_document_is_trained_on(tmp_path: Path) -> None:
    """Where folders are called train, dev and test, a split is not drawn from all of them."""
    for split in ("train", "dev", "test"):
        lay_documents(tmp_path / split / "a.conll", *(f"{split}{number}" for number in range(4)))
    corpus = corpora_found.hold_out_validation(corpora_found.open_corpus(tmp_path), 0.1, 0)
    assert corpus.held_out is None
    names = {
        s: [one.doc_id for one in corpora_found.records(corpus, s)] for s in ("train", "validation")
    }  # type: ignore[union-attr]
    assert names["train"] == [f"x/train{number}" for number in range(4)]
    assert names["validation"] == [f"x/dev{number}" for number in range(4)]


def test_check_sees_a_document_in_two_folders(tmp_path: Path) -> None:
    for name in ("train/a.conll", "dev/a.conll"):
        lay_documents(tmp_path / name, "whale")
    found = Checker().check([tmp_path])
    assert sorted(one.code for one in found if one.code[1] == "6") == ["E601", "W602"]
