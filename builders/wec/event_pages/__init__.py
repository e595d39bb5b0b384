"""The first pass over a dump: which pages are events, and which titles lead to them."""
