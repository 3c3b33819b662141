from sitewright.cli import main

main()
