#!/bin/sh
# Makes what the services of compose.yaml need: a certificate for the server, and for each bot named here a folder with a
# token and the certificate's authority. The authority and the tokens are made once; the certificate anew at each start.
set -eu
umask 077
arena cert arena localhost 127.0.0.1 --out /tls >/dev/null
for bot in "$@"; do
    [ -s "/bots/$bot/token" ] || arena token create "$bot" >"/bots/$bot/token"
    cp /tls/ca.pem "/bots/$bot/ca.pem"
done
