"""The brands, and who may act for them: operators and API credentials."""
