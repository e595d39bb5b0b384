"""What the corpora of all builders keep to: the same bytes in every process, whatever order its
sets have, and a folder that other libraries load as the data set that it is."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import SCHEMAS
from tests.commands import ROOT
from tests.corefmill.dumps import contents
from tests.waiting import PATIENCE, running

BUILDERS = (
    "wikicrem",
    *(
        pytest.param(name, marks=pytest.mark.thorough)
        for name in ("wikirand", "knowref", "ontonotes-it")
    ),
    *("wec", "chains"),
)
"""Those of the default run have one schema each."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What two processes with different hash seeds built at the same place, moved apart."""
    top = tmp_path_factory.mktemp("seeds")
    for seed in ("0", "3"):  # of which each has another order of {"Sun", "Yat", "sen"}
        work = top / "work"
        work.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        call = (sys.executable, "-m", "tests.corefmill.every_builder", work)
        with running(*call, cwd=ROOT, env=environment) as process:
            assert process.wait(2 * PATIENCE) == 0
        work.rename(top / seed)
    return top / "0", top / "3"


@pytest.fixture(params=BUILDERS)
def name(folders: tuple[Path, Path], request: pytest.FixtureRequest) -> str:
    """Each builder whose corpus is here."""
    name: str = request.param
    if not (folders[0] / name).exists():
        pytest.skip("needs Apertium's eng-cat and cat-ita, which are not here")
    return name


def test_two_hash_seeds_give_the_same_bytes(folders: tuple[Path, Path]) -> None:
    names, others = ({path.name for path in folder.iterdir()} for folder in folders)
    assert names == others and {"wikicrem", "wikirand", "wec", "knowref", "chains"} <= names
    for name in names:
        if (folders[0] / name).is_dir():
            one, other = (contents(folder / name) for folder in folders)
            assert one == other and "manifest.json" in one


def filled(folder: Path) -> dict[str, int]:
    """The splits that have records, as the manifest counts them."""
    return {split: count for split, count in manifest.read(folder).splits.items() if count}


def test_datasets_loads_the_records_and_no_other_file(
    folders: tuple[Path, Path], name: str, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra datasets")
    folder = folders[0] / name
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path))
    assert {split: len(rows) for split, rows in loaded.items()} == filled(folder)
    record = SCHEMAS[manifest.read(folder).schema]
    columns = [field.name for field in fields(record)]
    for split, rows in loaded.items():
        assert rows.column_names == columns
        read = [jsonl.loads(_exact(row), record, path=folder, number=1) for row in rows]
        assert read == list(manifest.records(folder, split))


def _exact(row: dict[str, Any]) -> str:
    """A row as JSON; `datasets` reads .94 of a column of JSON as .9400000000000001."""
    return json.dumps(json.loads(json.dumps(row), parse_float=lambda text: round(float(text), 12)))


def test_mlcroissant_reads_the_records(folders: tuple[Path, Path], name: str) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="needs the extra dev")
    folder = folders[0] / name
    described = croissant.Dataset(jsonld=folder / "croissant.json")
    assert not described.metadata.issues.errors
    key = fields(SCHEMAS[manifest.read(folder).schema])[0].name
    for split, count in filled(folder).items():
        ids = [row[f"{split}/{key}"].decode() for row in described.records(split)]
        assert ids == [getattr(record, key) for record in manifest.records(folder, split)]
        assert len(ids) == count
