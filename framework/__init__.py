"""The ground floor: errors, clock, status, registrar, transport, processes, plugins, plans, testing."""
