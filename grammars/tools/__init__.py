"""What is made of a language besides parsing: lint, reference, speech grammar (JSGF), word list, choices."""
