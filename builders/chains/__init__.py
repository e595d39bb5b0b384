"""Silver coreference: chains of persons in passages without any doubtful name or pronoun."""
