#!/bin/sh
# Builds the bot with exactly the crates of crates.lock, and checks their hashes. crates.lock is Cargo.lock without the
# lines that say which registry a crate comes from: cargo itself says which one is used here.
set -e
cd "$(dirname "$0")"
test -f Cargo.lock || cargo generate-lockfile --quiet
registry=$(sed -n 's/^source = //p' Cargo.lock | sort -u | head -n 1)
awk -v registry="$registry" '/^checksum = / { print "source = " registry } { print }' crates.lock > target.lock
if cmp -s target.lock Cargo.lock; then rm target.lock; else mv target.lock Cargo.lock; fi
exec cargo build --release --locked "$@"
