"""The design system: tokens, components and page shell of every page for people, and of mails.

Styles are in `styles/`, macros in `templates/ui.html`, scripts in `web/`. Built scripts and fonts are optional: without
them pages use the system's font and work the same.
"""
