"""Machine translation behind one small protocol: apertium, argos, models; a cache on disk."""
