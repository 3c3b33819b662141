"""Signatures of documents that others keep, such as receipts: Ed25519, with a public key that anybody can fetch."""
