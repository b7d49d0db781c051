"""The resource access layer: the drivers, and in `resources.types` what everyone exchanges about them."""
