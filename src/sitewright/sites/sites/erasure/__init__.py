"""Hard delete: at once, or after the brand's delay; and the signed receipts of what was erased."""
