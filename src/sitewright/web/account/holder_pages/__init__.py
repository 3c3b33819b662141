"""What other features of the web package build their pages for account holders with."""
