"""Names of persons and their gender, shared by all builders of masked names and pronouns."""
