"""`corefmill corpora`, `stats` and `push`: known corpora, their statistics, and the hub."""

from __future__ import annotations

import glob
import logging
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import DataDir, Json, Lang, Markdown, Quiet, Theirs
from corefmill.cli.printing import markdown, print_json, print_result, progress, table
from corefmill.coref_model import TRAINING, need
from corefmill.corpora.card_parts import find_spdx
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line

if TYPE_CHECKING:
    from corefmill.coref_model.training.trained_model import TrainedModel
    from corefmill.corpora.manifest import Manifest


CorpusName = Annotated[
    str, Argument(metavar="NAME", help="Name of a corpus in the list of `corefmill corpora`.")
]
DataDirOption = Annotated[
    Path | None, Option("--data-dir", help="Folder of the downloaded corpora.")
]


def explain(name: CorpusName, data_dir: DataDirOption = None, as_json: Json = False) -> None:
    """Describe a corpus: kind, format, licence, source, and its files below --data-dir."""
    from corefmill.corpora.catalogue import DataDir, entry

    here = DataDir(data_dir) if data_dir else None
    one = entry(name)
    found = here.find(one) if here else {}
    if as_json:
        print_json({**asdict(one), "here": _name_paths(found)})
        return
    print(one.title)
    rows = [
        ("kind", one.kind),
        ("format", one.format),
        ("language", one.lang),
        ("licence", one.licence),
        ("cite", one.citation),
        ("page", one.url),
        ("to get it", one.get),
    ]
    for way in one.files:
        known = (f"{split}: {' or '.join(paths)}" for split, paths in way.items())
        rows.append(("known by", "; ".join(known)))
    for split, paths in found.items():
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        rows.append((f"here, {split}", f"{paths[0]}{more}"))
    if here and not found:
        rows.append(("here", f"no, not in {here.top}"))
    print("\n".join(f"  {what:<16}{said}" for what, said in rows))


def read_downloads() -> dict[str, Any]:
    """Read the address, sizes and SHA-256 of the files of each free corpus."""
    return disk.read_package_table(__file__, "corpus_files")


def download(
    name: CorpusName, data_dir: DataDir = Path("data"), as_json: Json = False, quiet: Quiet = False
) -> None:
    """Download a freely available corpus, and check the SHA-256 of each file.

    A stopped download resumes; complete files are not downloaded again.

    Examples:
        corefmill corpora list --data-dir data
        corefmill corpora explain wec-eng
        corefmill corpora download gap --data-dir data
    """
    from corefmill.builders.services.download import Remote, fetch, open_session
    from corefmill.corpora.catalogue import entry

    one, known = entry(name), read_downloads()
    if name not in known:
        raise UsageError(
            f"{name} cannot be downloaded by corefmill: {one.get}",
            remedy=f"see {one.url}; corefmill downloads {', '.join(known)}",
        )
    files = known[name]["files"]
    total = sum(size for size, _ in files.values())
    silent = quiet or as_json
    if not silent:
        sizes = f"{len(files)} files, {total:,} bytes"
        print(f"{one.title}: {sizes}. Licence: {one.licence}.", flush=True)
    folder = data_dir / name
    with open_session() as asking:
        for path, (size, digest) in files.items():
            below = folder / path
            url = f"{known[name]['base'].rstrip('/')}/{path}"
            remote = Remote(url, below.name, "sha256", digest, size)
            fetch(asking, remote, below.parent, quiet=silent)
    result = {"name": name, "folder": disk.show_name(folder), "bytes": total}
    said = f"They are in {folder}. Please cite {one.citation}."
    print_result(result, said, as_json=as_json, quiet=quiet)


def list_all(data_dir: DataDirOption = None, as_json: Json = False) -> None:
    """List the known corpora and the built ones, with their splits below --data-dir.

    Examples:
        corefmill corpora list --data-dir data
        corefmill corpora download gap --data-dir data
    """
    from corefmill.corpora.catalogue import DataDir, entries

    here = DataDir(data_dir) if data_dir else None
    found = {one.name: here.find(one) if here else {} for one in entries().values()}
    built = here.list_built() if here else []
    if as_json:
        listed = [
            {**asdict(one), "here": _name_paths(found[one.name])} for one in entries().values()
        ]
        made = [
            {
                "path": disk.show_name(path),
                "name": made.name,
                "schema": made.schema,
                "splits": made.splits,
            }
            for path, made in built
        ]
        print_json({"corpora": listed, "built": made})
        return
    rows = [
        (one.name, one.kind, one.lang, one.format, one.licence, ", ".join(found[one.name]) or "-")
        for one in entries().values()
    ]
    print(table(("Corpus", "kind", "lang", "format", "licence", "here"), rows))
    if built:
        print()
        rows_built = [
            (
                str(path),
                made.schema.partition("/")[0],
                made.lang,
                ", ".join(f"{split} {count:,}" for split, count in made.splits.items()),
            )
            for path, made in built
        ]
        print(table(("Built", "records", "lang", "splits"), rows_built))
    if not here:
        print("\n--data-dir DIR finds those in a folder; `corpora explain NAME` explains one.")


def _name_paths(found: dict[str, list[Path]]) -> dict[str, list[str]]:
    return {split: [disk.show_name(path) for path in paths] for split, paths in found.items()}


def stats(
    paths: Annotated[
        list[Path],
        Argument(
            metavar="FILE|DIR...", help="Files, folders or built corpora whose records are counted."
        ),
    ],
    form: Theirs = None,
    lang: Lang = "en",
    as_markdown: Markdown = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count documents, mentions, clusters, lengths, distances and labels, by split and in total.

    Splits are known by the names of files and folders. Event mentions have ambiguity and diversity
    as the WEC paper defines them.

    Examples:
        corefmill stats out/wikicrem-en
        corefmill stats litbank/conll --markdown
        corefmill stats WEC-Eng_dev.json --json
    """
    from corefmill.corpora.formats import registry
    from corefmill.corpora.statistics import count_by_split

    found = count_by_split(paths, registry.get_format(form) if form else None, lang, progress)
    if as_json:
        print_json(found)
        return
    for number, (schema, columns) in enumerate(found.items()):
        if number:
            print()
        names = list(dict.fromkeys(name for column in columns.values() for name in column))
        rows = [
            (name, *(_format_cell(column.get(name)) for column in columns.values()))
            for name in names
        ]
        head = (schema.partition("/")[0], *columns)
        show = markdown if as_markdown else table
        print(show(head, rows, len(columns)))


def _format_cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


_log = logging.getLogger(__name__)

_REMEDIES = {
    401: "log in with `hf auth login`, or set HF_TOKEN to a token with write access",
    403: "the account may not write there: use a token with write access",
    429: "the hub limits requests: try again later; uploaded files are not sent again",
}
_RESUME = "run the same command again: uploaded files are not sent again"


def push(
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="Folder of a finished corpus or a trained model.")
    ],
    to: Annotated[
        str, Option("--to", metavar="NAME", help="Repository on the hub to upload to: USER/NAME.")
    ],
    yes: Annotated[
        bool, Option("--yes", help="Upload the files; without --yes the files are only listed.")
    ] = False,
    private: Annotated[
        bool, Option("--private", help="Make a new repository private to its owner.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Upload a corpus to the Hugging Face hub, for `load_dataset(NAME)`, or a trained model.

    Nothing is sent without --yes. The token is that of `hf auth login`, or HF_TOKEN.

    Examples:
        corefmill push out/wikicrem-en --to ann/wikicrem-en
        corefmill push out/wikicrem-en --to ann/wikicrem-en --private --yes
    """
    from huggingface_hub import constants, utils

    from corefmill.corpora import manifest

    try:
        utils.validate_repo_id(to)  # type: ignore[attr-defined]
        if "/" not in to:
            raise ValueError("it names no user")
    except ValueError as error:
        raise UsageError(
            f"--to {to!r} is not the name of a repository: {one_line(str(error))}",
            remedy="name it USER/NAME",
        ) from None
    if (folder / "model.toml").exists():
        need(*TRAINING)
        from corefmill.coref_model.training import checkpoint

        kind, page, damaged = "model", to, []
        warnings = _warn_of_model(checkpoint.read(folder).model)
        names = [name for name in checkpoint.OWN_FILES if (folder / name).exists()]
    else:
        made = manifest.read(folder)
        kind, page, damaged = "dataset", f"datasets/{to}", manifest.find_damaged(folder, made)
        warnings, names = _warn_publisher(folder, made), [*made.files, manifest.NAME]
    sizes = _measure_files(folder, names, damaged)
    for warning in warnings:
        _log.warning("%s", warning)
    silent = quiet or as_json
    url = _upload(folder, to, kind, list(sizes), private=private, quiet=silent) if yes else None
    if as_json:
        said = {"to": to, "hub": constants.ENDPOINT, "files": sizes, "sent": yes, "url": url}
        print_json(said)
        return
    if quiet:
        return
    print(table(("File", "bytes"), [(name, f"{size:,}") for name, size in sizes.items()], 1))
    print()
    total = f"{len(sizes)} files, {sum(sizes.values()):,} bytes"
    if url:
        print(f"{total}, are at {url}.")
    else:
        print(f"{total}, would go to {constants.ENDPOINT}/{page}; --yes sends them.")


def _measure_files(folder: Path, names: list[str], damaged: list[str]) -> dict[str, int]:
    """Return the bytes of each file to send; raise `DataError` for a changed file."""
    top = folder.resolve()
    # A card may differ from the manifest, so that nothing else shows the target of a link.
    odd = [name for name in names if not (folder / name).resolve().is_relative_to(top)]
    if wrong := [*odd, *damaged]:
        raise DataError(
            "the file was changed after the folder was made",
            path=folder / wrong[0],
            remedy="run its command again, or get the folder anew",
        )
    return {name: (folder / name).stat().st_size for name in sorted(names)}


def _warn_publisher(folder: Path, made: Manifest) -> Iterator[str]:
    """Yield warnings for a publisher of the corpus."""
    from corefmill.builders.nlp.catalogue import find_licence
    from corefmill.corpora import manifest

    if not find_spdx(made.licence):
        yield (
            f"the corpus's licence is {made.licence!r}: may you publish it? Then name the licence"
            " in README.md, at `license:`"
        )
    parts = {"the text": made.licence}
    for tool in made.versions.get("pipeline", "").split(", "):
        name = tool.partition(" ")[0]
        parts[f"{name}, which read the text"] = find_licence(name)
    for part, licence in parts.items():
        if "NC" in licence:
            yield f"{part}: {licence}, not for commercial use"
    if manifest.CARD not in made.files:
        yield "the corpus has no README.md: build it again"
    else:
        with (folder / manifest.CARD).open("rb") as card:
            begins = card.read(4)
        if begins != b"---\n":
            yield "README.md has no front matter, so the hub guesses the files: build it again"
    yield from made.warnings


def _warn_of_model(model: TrainedModel) -> Iterator[str]:
    """Yield warnings for a publisher of the model: licences of its corpora that may forbid it."""
    for name, corpus in model.list_corpora():
        licence = str(corpus.get("licence") or "unknown")
        if "NC" in licence or not find_spdx(licence):
            yield f"the model learnt from {name}, whose licence is {licence}: may you publish it?"


def _upload(
    folder: Path, to: str, kind: str, names: list[str], *, private: bool, quiet: bool
) -> str:
    """Upload the named files to a data set or model, made where missing; return its URL."""
    import huggingface_hub
    from huggingface_hub import utils

    if quiet:
        utils.disable_progress_bars()  # type: ignore[attr-defined]
    hub = huggingface_hub.HfApi()
    try:
        made = hub.create_repo(to, repo_type=kind, private=private or None, exist_ok=True)
        hub.upload_folder(
            repo_id=to,
            folder_path=folder,
            repo_type=kind,
            allow_patterns=[glob.escape(name) for name in names],
            commit_message="Made with corefmill",
        )
    except Exception as error:  # any error of the library and of those below it
        said = one_line(str(error)) or type(error).__name__
        if token := huggingface_hub.get_token():  # a server may repeat the token
            said = said.replace(token, "[token]")
        answer: Any = getattr(error, "response", None)
        remedy = _REMEDIES.get(getattr(answer, "status_code", 0), _RESUME)
        raise UsageError(f"the upload to {to} failed: {said[:200]}", remedy=remedy) from None
    return str(made)
