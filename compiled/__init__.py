"""Builds the arena with its hot rooms compiled by mypyc. The README beside this file explains it."""
