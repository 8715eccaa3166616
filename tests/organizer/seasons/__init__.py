"""Tests of the seasons of pools."""
