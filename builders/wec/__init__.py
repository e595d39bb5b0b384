"""Event coreference from any Wikipedia: anchors that link to the same event article corefer."""
