#!/bin/sh
# Gives the container's part of the control groups to the user `arena`, and runs `arena` as that user without any capability.
#
#     start-boxes.sh COMMAND [OPTION...]
set -eu
groups=/sys/fs/cgroup
if [ ! -e "$groups/cgroup.procs" ]; then
    echo "boxes: this machine has no control groups of version 2, so nothing limits what a bot uses" >&2
    exit 69
fi
if ! [ -w "$groups/cgroup.procs" ] && ! mount -o remount,rw "$groups"; then
    echo "boxes: $groups cannot be written: the container needs CAP_SYS_ADMIN for it, see docs/containers.md" >&2
    exit 69
fi
chown arena "$groups" "$groups/cgroup.procs" "$groups/cgroup.subtree_control" "$groups/cgroup.threads"
exec setpriv --reuid arena --regid arena --init-groups --inh-caps=-all --bounding-set=-all --no-new-privs arena "$@"
