"""Builds wheels of the arena and the SDK with modules that mypyc compiles. The README beside this file explains it."""
