"""`arena compare`: the request, the run, its progress, and the files for CI."""
