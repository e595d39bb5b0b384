"""Without the extra `train` no test of this folder is collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if all(map(find_spec, ("torch", "transformers", "accelerate"))) else ["*"]
