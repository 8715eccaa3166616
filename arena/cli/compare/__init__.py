"""`arena compare`: checks the request, runs the comparison, shows its progress and writes files for CI."""
