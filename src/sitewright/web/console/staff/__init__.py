"""The staff of a brand: roles, invitations and removal."""
