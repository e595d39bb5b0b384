"""`corefmill corpora`, `stats` and `push`: known corpora, what they are made of, and the hub."""

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
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line

if TYPE_CHECKING:
    from corefmill.corpora.manifest import Manifest


CorpusName = Annotated[
    str,
    Argument(
        metavar="NAME",
        help="A corpus of the catalogue.",
    ),
]
DataDirOption = Annotated[Path | None, Option("--data-dir", help="Folder in which corpora lie.")]


def explain(name: CorpusName, data_dir: DataDirOption = None, as_json: Json = False) -> None:
    """Say what a corpus is, its licence, where to get it, and whether it is here."""
    from corefmill.corpora.catalogue import DataDir, entry

    here = DataDir(data_dir) if data_dir else None
    one = entry(name)
    found = here.find(one) if here else {}
    if as_json:
        print_json({**asdict(one), "here": _as_json(found)})
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
    name: CorpusName,
    data_dir: DataDir = Path("data"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fetch a corpus that may be had freely, each file checked by its SHA-256.

    What broke off is gone on with; what is there is not fetched again.

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
            remedy=f"see {one.url}; there are files of {', '.join(known)}",
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
    """List the known corpora and those that builders made, and say which are here.

    Examples:
        corefmill corpora list --data-dir data
        corefmill corpora download gap --data-dir data
    """
    from corefmill.corpora.catalogue import DataDir, entries

    here = DataDir(data_dir) if data_dir else None
    found = {one.name: here.find(one) if here else {} for one in entries().values()}
    built = here.list_built() if here else []
    if as_json:
        listed = [{**asdict(one), "here": _as_json(found[one.name])} for one in entries().values()]
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


def _as_json(found: dict[str, list[Path]]) -> dict[str, list[str]]:
    return {split: [disk.show_name(path) for path in paths] for split, paths in found.items()}


def stats(
    paths: Annotated[
        list[Path],
        Argument(metavar="FILE|DIR...", help="Files, folders of them, or corpora."),
    ],
    form: Theirs = None,
    lang: Lang = "en",
    as_markdown: Markdown = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count documents, mentions, clusters, lengths, distances, labels, by split and in all.

    Splits are known by the names of files and folders. Event mentions have ambiguity and diversity
    as the WEC paper defines them.

    Examples:
        corefmill stats out/wikicrem-en
        corefmill stats litbank/conll --markdown
        corefmill stats WEC-Eng_dev.json --json
    """
    from corefmill.corpora.formats import registry
    from corefmill.corpora.statistics import by_split

    found = by_split(paths, registry.get_format(form) if form else None, lang, progress)
    if as_json:
        print_json(found)
        return
    for number, (schema, columns) in enumerate(found.items()):
        if number:
            print()
        names = list(dict.fromkeys(name for column in columns.values() for name in column))
        rows = [(name, *(_cell(column.get(name)) for column in columns.values())) for name in names]
        head = (schema.partition("/")[0], *columns)
        show = markdown if as_markdown else table
        print(show(head, rows, len(columns)))


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


_log = logging.getLogger(__name__)

_REMEDIES = {
    401: "log in by `hf auth login`, or put a token that may write into HF_TOKEN",
    403: "the account may not write there; see its token's rights",
    429: "it is asked too often: come back later; what is there already is not sent again",
}
_GOES_ON = "run the same command again: what is there already is not sent again"


def push(
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="A finished corpus, with its manifest.")
    ],
    to: Annotated[str, Option("--to", metavar="NAME", help="The data set: USER/NAME.")],
    yes: Annotated[
        bool, Option("--yes", help="Send it; without, only say what would be sent.")
    ] = False,
    private: Annotated[
        bool, Option("--private", help="If the data set is new, only its owner sees it.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Send a corpus to the Hugging Face hub, where `load_dataset(NAME)` loads it.

    Nothing is sent without --yes. The token is the one that `hf auth login` keeps, or HF_TOKEN.

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
        raise UsageError(f"--to {to!r}: {one_line(str(error))}", remedy="USER/NAME") from None
    made = manifest.read(folder)
    sizes = _sizes(folder, made)
    for warning in _warnings(folder, made):
        _log.warning("%s", warning)
    url = _send(folder, to, list(sizes), private=private, quiet=quiet or as_json) if yes else None
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
        print(f"{total}, would go to {constants.ENDPOINT}/datasets/{to}; --yes sends them.")


def _sizes(folder: Path, made: Manifest) -> dict[str, int]:
    """Return the bytes of each file to send; raise `DataError` for a changed file."""
    from corefmill.corpora import manifest

    names = [*made.files, manifest.NAME]
    top = folder.resolve()
    # A card may differ from the manifest's, so that nothing else says what a link leads to.
    odd = [name for name in names if not (folder / name).resolve().is_relative_to(top)]
    if wrong := [*odd, *manifest.find_damaged(folder, made)]:
        raise DataError(
            "is not as it was built",
            path=folder / wrong[0],
            remedy="run the build again, or get the corpus anew",
        )
    return {name: (folder / name).stat().st_size for name in sorted(names)}


def _warnings(folder: Path, made: Manifest) -> Iterator[str]:
    """Yield warnings for a publisher of the corpus."""
    from corefmill.builders.nlp.catalogue import find_licence
    from corefmill.corpora import manifest
    from corefmill.corpora.card_parts import find_spdx

    if not find_spdx(made.licence):
        yield (
            f"its licence is {made.licence!r}: may you publish it? Then name the licence in"
            " README.md, at `license:`"
        )
    parts = {"its text": made.licence}
    for tool in made.versions.get("pipeline", "").split(", "):
        name = tool.partition(" ")[0]
        parts[f"{name}, which read the text"] = find_licence(name)
    for part, licence in parts.items():
        if "NC" in licence:
            yield f"{part}: {licence}, not for commercial use"
    if manifest.CARD not in made.files:
        yield "it has no README.md: build it again"
    else:
        with (folder / manifest.CARD).open("rb") as card:
            begins = card.read(4)
        if begins != b"---\n":
            yield "README.md has no front matter, so that files are guessed: build it again"
    yield from made.warnings


def _send(folder: Path, to: str, names: list[str], *, private: bool, quiet: bool) -> str:
    """Makes the data set, unless it is there, and commits the files; returns its address."""
    import huggingface_hub
    from huggingface_hub import utils

    if quiet:
        utils.disable_progress_bars()  # type: ignore[attr-defined]
    hub = huggingface_hub.HfApi()
    try:
        made = hub.create_repo(to, repo_type="dataset", private=private or None, exist_ok=True)
        hub.upload_folder(
            repo_id=to,
            folder_path=folder,
            repo_type="dataset",
            allow_patterns=[glob.escape(name) for name in names],
            commit_message="Corpus built with corefmill",
        )
    except Exception as error:  # whatever the library and those below it raise
        said = one_line(str(error)) or type(error).__name__
        if token := huggingface_hub.get_token():  # a server may repeat the token
            said = said.replace(token, "[token]")
        answer: Any = getattr(error, "response", None)
        remedy = _REMEDIES.get(getattr(answer, "status_code", 0), _GOES_ON)
        raise UsageError(f"{to} was not sent: {said[:200]}", remedy=remedy) from None
    return str(made)
