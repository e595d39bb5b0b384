"""Parse XML files that anyone may have written: no entities, no network, no document types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora import disk
from corefmill.corpora.errors import DataError

if TYPE_CHECKING:
    from lxml import etree


def parsed(path: Path, root: str) -> etree._Element:
    """The root of a file, whose name has to be `root`, with {its namespace} if it has one.

    Raises `DataError` for what is no XML, declares a document type (with which entities come), or
    nests deeper than the parser allows.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        # Handed over open: libxml2 takes some characters of a name for those of an address.
        with disk.opened(path) as file:
            tree = etree.parse(file, parser)
    except OSError as error:
        raise DataError(f"cannot be read: {error}", path=path) from None
    except etree.XMLSyntaxError as error:
        raise DataError(f"not XML: {error.msg}", path=path, line=error.lineno or None) from None
    if tree.docinfo.internalDTD is not None:
        raise DataError("it declares a document type", path=path, remedy="remove <!DOCTYPE ...>")
    found = tree.getroot()
    if found.tag != root:
        raise DataError(f"the root is {str(found.tag)[:40]}, not {root}", path=path, line=1)
    return found
