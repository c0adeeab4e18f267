"""Prints the records of a file repeatedly with other identifiers, up to a number."""

import sys

lines = open(sys.argv[1]).read().splitlines()
for number in range(int(sys.argv[2])):
    print(lines[number % len(lines)].replace('{"id":"', f'{{"id":"{number}-', 1))
