#!/bin/sh
# Stands for cargo, mvn and npm in the images of bots. A box has no network: what these programs would fetch is kept in
# /usr/local/share/bots, where nobody can write. What a bot's own folder says about other sources still wins.
set -eu
kept=/usr/local/share/bots
case $(basename "$0") in
    cargo)
        home=${CARGO_HOME:-$HOME/.cargo}
        mkdir -p "$home"
        # Cargo reads this file last.
        [ -e "$home/config.toml" ] || cp "$kept/cargo/config.toml" "$home/config.toml"
        CARGO_HOME=$home exec /usr/local/rust/bin/cargo "$@"
        ;;
    mvn)
        exec /usr/share/maven/bin/mvn --offline "-Dmaven.repo.local.tail=$kept/maven/repository" "$@"
        ;;
    npm)
        # npm writes into its index even if it has all that it needs.
        cache=${npm_config_cache:-$HOME/.npm}
        if [ ! -e "$cache/_cacache" ]; then
            mkdir -p "$cache/_cacache/tmp"
            cp -R "$kept/npm/_cacache/index-v5" "$cache/_cacache/index-v5"
            ln -s "$kept/npm/_cacache/content-v2" "$cache/_cacache/content-v2"
        fi
        npm_config_cache=$cache npm_config_offline=${npm_config_offline:-true} \
            exec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"
        ;;
esac
