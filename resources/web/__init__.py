"""The web server that console and operator share, and the pages that it serves."""
