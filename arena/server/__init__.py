"""A server: messages, matches and sessions, the store, the settings, and the gRPC services.

    rpc ──▶ wire ──▶ node ──▶ store
     └────▶ intake (packages of bots)

`config` has the settings, and `metrics` the figures for Prometheus.
"""
