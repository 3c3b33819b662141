"""The catalogue of the brand: packages, prices and templates; system-owners load a file."""
