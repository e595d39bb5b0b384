"""Models as raters: a language model behind an endpoint, or a masked-LM scorer, answers items."""
