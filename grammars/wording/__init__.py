"""From plans to words: plans read back, refusals, completion, help, and sample sentences."""
