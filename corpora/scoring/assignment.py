"""scipy's solver of the assignment problem, without the half second that its package takes.

`scipy.optimize` imports all of itself, and the solver is one compiled file that needs numpy alone.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def solve(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the one-to-one map with the largest sum of a table of weights."""
    return cast("tuple[NDArray[np.intp], NDArray[np.intp]]", _solver()(weights, maximize=True))


@cache
def _solver() -> Any:
    """`scipy.optimize.linear_sum_assignment`, from its own file where it still is there."""
    package = find_spec("scipy")
    folders = (
        [str(Path(one, "optimize")) for one in package.submodule_search_locations or ()]
        if package
        else []
    )
    spec = PathFinder.find_spec("_lsap", folders)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "linear_sum_assignment"):
            return module.linear_sum_assignment
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    return linear_sum_assignment
