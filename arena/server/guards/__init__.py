"""What protects the server from clients where gRPC's C core does not. Each guard is here for one attack, and its test.

Connections:

* `descriptors`: a client opens connections until no descriptor is left, and nobody else gets in
  (`tests/faults/test_exhaustion.py`); or keeps many, each with 3 MB of answers that it does not read
  (`tests/server/guards/test_descriptors.py::test_address_keeps_only_so_many_idle_connections_at_any_time`).
* `crowded_boxes`: a boxed bot does so on a Unix socket, where peers have no address
  (`tests/server/rpc/test_unix_socket.py::test_crowd_of_a_container_is_ended_at_any_time`).
* `connections`: no attack, but what the guards of connections share.

Memory:

* `memory.MemoryGuard`: frames of a stranger name a header again and again, and one byte becomes 170
  (`tests/faults/test_frame_floods.py::test_header_named_again_and_again_takes_little_memory`).
* `memory.return_read_memory`: a client sends bytes that no call needs, and the C library keeps them
  (`tests/faults/test_read_memory.py`).
* `calls.ArrivingRequests`: callers without a token begin requests of 1 MB and end none
  (`tests/server/rpc/test_single_requests.py::test_callers_without_tokens_hold_few_requests_of_a_server`).
* `calls.UnreadAnswers`: a caller with a token asks for page after page and reads none
  (`tests/server/guards/test_calls.py::test_caller_without_a_window_is_refused_soon`).

The log:

* `core_log`, `stderr_filter`: a client puts line ends into its server name, and so forges events; or fails handshake
  after handshake (`tests/e2e/test_handshake_log.py::test_server_name_with_line_ends_forges_no_event`,
  `tests/e2e/test_handshake_log.py::test_flood_of_bad_handshakes_is_a_few_lines`). They also tell owners why a handshake
  failed.
* `repeated_events`: whatever is repeated thousands of times in a second fills the log
  (`tests/server/guards/test_core_log.py::test_flood_is_summed_up_and_none_is_left_out`).

Options of gRPC itself that bound handshakes, pings, metadata and compression are in `arena.server.rpc.server`.
"""
