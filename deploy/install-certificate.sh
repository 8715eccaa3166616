#!/bin/sh
# Copies a certificate to where the arena reads it. certbot runs it after each renewal: --deploy-hook; it sets
# RENEWED_LINEAGE to the folder of the new files. The server takes the files up by itself.
set -eu
install -d -m 0750 -o root -g arena /etc/arena/tls
install -m 0640 -o root -g arena "$RENEWED_LINEAGE/privkey.pem" /etc/arena/tls/server-key.pem
install -m 0640 -o root -g arena "$RENEWED_LINEAGE/fullchain.pem" /etc/arena/tls/server.pem
