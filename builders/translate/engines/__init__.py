"""Machine translation behind one small protocol, on this machine or elsewhere; a cache on disk."""
