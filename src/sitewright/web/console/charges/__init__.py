"""What customers were charged."""
