"""What carries messages and streams: one interface, `local` and `zenoh`, and shared-memory rings."""
