from .audit import main

main()
