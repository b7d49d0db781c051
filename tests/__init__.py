"""Unit, property, scenario, browser and benchmark tests, in folders that mirror the packages."""
