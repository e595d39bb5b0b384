"""UIMA CAS XMI, INCEpTION's and DKPro's own, by the package dkpro-cassis (extra `annotate`).

1. A document a file, `0001.xmi`, with DKPro's types of sentences, tokens and chains of coreference;
   `TypeSystem.xml` says what these are. cassis counts characters and writes UTF-16 code units.
2. Read are the chains; sentences and tokens are the corpus's. What else is in the file is counted
   by its type and left out.
3. XML that declares a document type is not read, so that no entity is ever expanded.
4. A text with control codes cannot be XML: such a document is refused.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.annotate.exchange.chains import PlainDocument, ReadChains, ToolMention, named
from corefmill.corpora import disk, xml_files
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import DataError

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

TYPES = "TypeSystem.xml"

_CORE = "de.tudarmstadt.ukp.dkpro.core.api."
SENTENCE = f"{_CORE}segmentation.type.Sentence"
TOKEN = f"{_CORE}segmentation.type.Token"
CHAIN = f"{_CORE}coref.type.CoreferenceChain"
LINK = f"{_CORE}coref.type.CoreferenceLink"
_OURS = {SENTENCE, TOKEN, CHAIN, LINK, "uima.tcas.DocumentAnnotation"}


def names(documents: Sequence[PlainDocument]) -> list[str]:
    """The files that `write` writes."""
    return [TYPES, *(f"{one.name}.xmi" for one in documents)]


def write(folder: Path, documents: Sequence[PlainDocument]) -> None:
    """Writes the files; raises `DataError` for a text that XML cannot hold."""
    types = _types()
    write_whole(folder / TYPES, types.to_xml())
    for one in documents:
        path = folder / f"{one.name}.xmi"
        try:
            made = _cas(one, types).to_xmi()
        except ValueError as error:  # lxml's, of a control code
            raise DataError(f"XML cannot hold this text: {error}", path=path) from None
        write_whole(path, made)


def _types() -> TypeSystem:
    from cassis import load_dkpro_core_typesystem

    return load_dkpro_core_typesystem()


def _cas(one: PlainDocument, types: TypeSystem) -> Cas:
    from cassis import Cas

    cas = Cas(typesystem=types)
    cas.sofa_string = one.text
    cas.sofa_mime = "text/plain"
    sentence, token = types.get_type(SENTENCE), types.get_type(TOKEN)
    for units in one.sentences:
        cas.add(sentence(begin=units[0].start, end=units[-1].end))
        for unit in units:
            cas.add(token(begin=unit.start, end=unit.end))
    chain_type, link_type = types.get_type(CHAIN), types.get_type(LINK)
    for cluster in one.marked:
        following = None
        for mention in reversed(cluster):
            following = link_type(
                begin=mention.pieces[0][0],
                end=mention.pieces[-1][1],
                referenceType=mention.label or None,
                next=following,
            )
            cas.add(following)
        if following is not None:
            # No annotation, so cassis does not say by itself which text it is of.
            cas.add(chain_type(first=following, sofa=cas.get_sofa()))
    return cas


def read(path: Path) -> Iterator[ReadChains]:
    """The chains of a file; nothing for a document that no rater has made."""
    if path.name.startswith("INITIAL_CAS."):
        return
    number, rater = named(path)
    xml_files.parsed(path, "{http://www.omg.org/XMI}XMI")  # rule 3, before any other parser sees it
    from cassis import load_cas_from_xmi

    try:
        with disk.opened(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that are not DKPro's
            cas = load_cas_from_xmi(file, typesystem=_types(), lenient=True)
        found = cas.select_all_fs()
        text, clusters = cas.sofa_string, _clusters(found)
    # cassis has no error of its own for what stands at the wrong place.
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError) as error:
        raise _broken(path, error) from None
    except ValueError as error:
        raise _broken(path, error) from None
    if not isinstance(text, str):
        raise DataError("it has no text", path=path)
    left_out = Counter(one.type.name for one in found if one.type.name not in _OURS)
    yield ReadChains(number, rater, text, clusters, left_out)


def _broken(path: Path, error: Exception) -> DataError:
    return DataError(f"no CAS: {type(error).__name__}: {str(error)[:100]}", path=path)


def _clusters(found: Sequence[Any]) -> list[list[ToolMention]]:
    """The chains in the order of their numbers in the file.

    Raises `ValueError` for a mention in two of them, or twice in one, or in none.
    """
    links = {one.xmiID: one for one in found if one.type.name == LINK}
    chains = sorted((one for one in found if one.type.name == CHAIN), key=lambda one: one.xmiID)
    clusters = []
    for chain in chains:
        mentions: list[ToolMention] = []
        link = chain.first
        while link is not None:
            if links.pop(link.xmiID, None) is None:
                raise ValueError(f"the CoreferenceLink {link.xmiID} is in two places of chains")
            mentions.append(ToolMention(((link.begin, link.end),), link.referenceType or ""))
            link = link.next
        clusters.append(mentions)
    if links:
        raise ValueError(f"the CoreferenceLink {min(links)} is in no chain")
    return clusters
