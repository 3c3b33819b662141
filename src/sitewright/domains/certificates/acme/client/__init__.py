"""An ACME client (RFC 8555) with renewal information (RFC 9773), profiles and external account binding."""
