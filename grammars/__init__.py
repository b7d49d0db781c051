"""The language: grammar files, the parser that turns text into plans, exports for speech recognisers."""
