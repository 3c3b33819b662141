"""Account holders ask for the deletion of their account; the brand decides."""
