"""From words to plans: tokens, recogniser, templates as networks, slots, clauses, joins, ranking."""
