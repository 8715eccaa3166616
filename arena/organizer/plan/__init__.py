"""The estimate of a league's duration and precision, based on a trial."""
