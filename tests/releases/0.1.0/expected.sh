#!/bin/sh
# Writes expected.tar.gz from data.tar.gz: run it in a copy of this folder with the release's `arena` on the PATH.
set -eu
rm -rf bots data league.toml expected
tar xzf data.tar.gz
mkdir expected expected/export expected/show
arena league status league.toml --data data/finished --json > expected/status.json
arena league status league.toml --data data/cut --json > expected/cut-status.json
arena league games league.toml --data data/finished --json > expected/games.json
arena league report league.toml --data data/finished --out report
mv report expected/report
rm expected/report/report.html
arena league publish league.toml --data data/finished --out site --replays all
mv site/league.json expected/league.json
arena token list --data data/finished --json > expected/tokens.json
for folder in finished killed; do
    arena replay list --data data/$folder --json > expected/$folder-list.json
    for id in $(grep -o '"match_id": "[0-9A-Z]*"' expected/$folder-list.json | cut -d '"' -f 4); do
        arena replay show $id --data data/$folder --json > expected/show/$id.json
        arena replay export $id --data data/$folder --to expected/export/$id.json || true
    done
done
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - expected | gzip -9n > expected.tar.gz
rm -rf bots data league.toml site expected
