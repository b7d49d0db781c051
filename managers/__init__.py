"""The management layer: for each kind of resource a small class around one registrar; no drivers."""
