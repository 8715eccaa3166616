#!/bin/sh
# Runs a sample bot with the token and the authority in its folder. The token is in no command line and in no settings of
# the container: only the process itself has it.
set -eu
CHEATARENA_TOKEN=$(cat "/bots/$1/token")
CHEATARENA_CA=/bots/$1/ca.pem
export CHEATARENA_TOKEN CHEATARENA_CA
exec python -m "sample_bots.python.$1.bot"
