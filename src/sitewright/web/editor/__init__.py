"""The visual editor: its page and the calls that the page's script makes under the account holder's session."""
