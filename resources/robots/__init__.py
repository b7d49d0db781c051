"""Robot descriptions: which devices a robot has, which driver opens each, and which to prefer."""
