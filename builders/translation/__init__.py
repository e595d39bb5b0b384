"""Machine translation behind one small protocol: apertium, argos, marian; a cache on disk."""
