"""Who proposes plans for texts that the grammar refuses: servers of language models, on this machine only."""
