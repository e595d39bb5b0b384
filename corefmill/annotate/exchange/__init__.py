"""Tasks for other annotation tools, and the answers and chains that come back from them."""
