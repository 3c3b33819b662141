"""What the operator's shell does with account domains of any brand."""
