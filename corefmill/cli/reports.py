"""`--verbose` and `--log-file`, which every command has: what it was given, did, and took."""

from __future__ import annotations

import logging
import os
import platform
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corefmill.corpora.atomic import refuse_url
from corefmill.corpora.errors import UsageError
from corefmill.corpora.printable import printable

_LOG = logging.getLogger("corefmill")
_FIRST = "# log of corefmill\n"
_LINE = "%(asctime)s %(levelname)s %(message)s"


@contextmanager
def reported(verbose: bool, file: Path | None) -> Iterator[None]:
    """Log what happens inside the block on standard error, in a file, in both or in neither."""
    handlers = [*_on_stderr(verbose), *_in_file(file)]
    if not handlers:
        yield
        return
    for handler in handlers:
        handler.setFormatter(_Printable(_LINE))
        _LOG.addHandler(handler)
    from importlib.metadata import version

    level = _LOG.level
    _LOG.setLevel(logging.DEBUG)
    _LOG.info("%s", shlex.join(sys.argv))
    about = version("corefmill"), platform.python_version(), platform.platform(), os.getpid()
    _LOG.info("corefmill %s, Python %s, %s, process %d", *about)
    start, used = time.monotonic(), time.process_time()
    try:
        yield
    except BaseException as error:
        _LOG.info("ended by %s", type(error).__name__)
        _LOG.debug("where it was", exc_info=True)
        raise
    finally:
        took = time.monotonic() - start, time.process_time() - used
        _LOG.info("took %.1f s, %.1f s of this process's processor time", *took)
        _LOG.setLevel(level)
        for handler in handlers:
            _LOG.removeHandler(handler)
            handler.close()


class _Printable(logging.Formatter):
    """Control codes in names and texts act on no terminal that the lines come to."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


class _File(logging.FileHandler):
    """A full disk ends the command as it does elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:
        raise


def _on_stderr(wanted: bool) -> Iterator[logging.Handler]:
    """Without warnings, which are said anyway, and without tracebacks."""
    if wanted:
        handler = logging.StreamHandler(sys.stderr)
        handler.addFilter(lambda record: record.levelno == logging.INFO)
        yield handler


def _in_file(path: Path | None) -> Iterator[logging.Handler]:
    """Raises `UsageError` for a file that is no log of ours: nothing is appended to a corpus."""
    if path is None:
        return
    refuse_url(path)
    if path.exists() and not path.is_file():  # who opens a FIFO waits
        raise UsageError("this is no file", path=path, remedy="name another")
    with path.open("a+", encoding="utf-8", errors="replace") as file:
        file.seek(0)
        begins = file.readline(len(_FIRST))
        if not begins:
            file.write(_FIRST)
        elif begins != _FIRST:
            raise UsageError("this file is no log of corefmill", path=path, remedy="name another")
    yield _File(path, encoding="utf-8")
