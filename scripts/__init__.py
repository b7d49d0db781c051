"""What `make` runs: setup of a checkout, and its pins. Standard library only; not part of the wheel."""
