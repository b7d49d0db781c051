"""The ground floor, from errors and clock up to supervisor, scenarios and testing (order: pyproject.toml)."""
