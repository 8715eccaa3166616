"""Runs programs in boxes that they cannot leave, and checks that they cannot.

    open_boxes ──▶ bubblewrap (view, seccomp, cgroups) ──▶ a box for each program ──▶ launch.launcher.Launcher
               └─▶ oci (podman or docker)            ──▶
    probes.isolation_check ──▶ programs in real boxes that try to leave ──▶ holds, does not hold, not tested

The package implements `arena.bots.launch.box_port`. It knows nothing of games, matches or the store. `docs/boxes.md`
says what a box holds, what it needs, and what it cannot hold.
"""
