"""What happened in a brand, and to whom it was delivered."""
