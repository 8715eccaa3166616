"""Programs that try to leave their box or to use up the host, as texts for Python.

Each program of `ATTEMPTS` tries what its name says, and prints a line for each try: `held …` if the system refused it,
and `ESCAPED …` if not. Names in braces are what `test_escapes` has prepared outside. The list follows what hostile
submissions did to other judges: files left for the runner to follow, floods, orphans, and ways around namespaces.
"""

from collections.abc import Mapping
from typing import Final

PRELUDE: Final = """
import ctypes, errno, os, resource, signal, socket, stat, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
outside = {outside!r}

def say(text):
    os.write(1, (text.replace("\\n", " ") + "\\n").encode())

def attempt(name, call):
    try:
        result = call()
    except (OSError, MemoryError, RuntimeError) as error:
        say(f"held {{name}}: {{error}}")
    else:
        say(f"ESCAPED {{name}}: {{result!r}}")

def syscall(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def checked(result):
    if result is None or result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def must_be_empty(found):
    if not found:
        raise OSError("nothing found")
    return found

def read(path):
    with open(path, "rb") as file:
        return file.read(100)

def write(path):
    with open(path, "ab") as file:
        file.write(b"escape")
    return path

def connect(kind, place, family=socket.AF_INET):
    with socket.socket(family, kind) as connection:
        connection.settimeout(2)
        connection.connect(place)
        connection.send(b"escape")
        return place
"""

ATTEMPTS: Final[Mapping[str, str]] = {
    "reads the accounts of the host": """
attempt("users", lambda: must_be_empty([line for line in open("/etc/passwd") if not line.startswith("bot:")]))
for file in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers"):
    attempt(file, lambda: read(file))
""",
    "reads the configuration of the host": """
for file in ("/etc/hostname", "/etc/fstab", "/etc/machine-id", "/etc/resolv.conf", "/root/.bashrc", "/boot", "/var/log",
             "/etc/ssh", "/sys/class/dmi/id/board_name", "/proc/kcore", outside["file"]):
    attempt(file, lambda: os.listdir(file) if os.path.isdir(file) else read(file))
""",
    "reads the folders of other bots": """
parent = os.path.dirname(outside["own_folder"])
for path in (outside["neighbour_folder"], outside["own_folder"], "/bot/../bot-1", parent):
    attempt(path, lambda: os.listdir(path))
""",
    "reads the environment of the server": """
attempt("pid", lambda: read(f"/proc/{{outside['server_pid']}}/environ"))
found = []
for name in os.listdir("/proc"):
    if name.isdecimal():
        try:
            text = open(f"/proc/{{name}}/environ").read() + open(f"/proc/{{name}}/cmdline").read()
        except OSError:
            continue
        found += [name] if outside["variable"] in text and "bot.py" not in text else []
attempt("variable", lambda: must_be_empty(found))
""",
    "watches what others open": """
import fcntl
attempt("inotify", lambda: checked(libc.inotify_init1(0)))
folder, number = os.open("/usr", os.O_RDONLY), {{"x86_64": 72, "aarch64": 25}}[os.uname().machine]
attempt("dnotify", lambda: fcntl.fcntl(folder, 1026, 1))
attempt("dnotify with a high bit", lambda: syscall(number, folder, ctypes.c_long(1 << 32 | 1026), 1))
os.close(folder)
""",
    "lists the processes of the host": """
attempt("count", lambda: must_be_empty([each for each in os.listdir("/proc") if each.isdecimal()][5:]))
attempt("parent", lambda: os.readlink(f"/proc/{{outside['server_pid']}}/exe"))
""",
    "signals processes of the host": """
for pid in (outside["server_pid"], outside["neighbour_pid"]):
    attempt(pid, lambda: os.kill(pid, 0))
attempt("process 1", lambda: os.kill(1, signal.SIGKILL) or time.sleep(0.1) or os.kill(99999, 0))
""",
    "writes outside its scratch space": """
for folder in ("/", "/bot", "/usr", "/usr/bin", "/etc", "/run", "/dev", "/proc", "/home", outside["own_folder"]):
    attempt(folder, lambda: write(folder + "/escape"))
attempt("own program", lambda: write("/bot/bot.py"))
attempt("own rights", lambda: os.chmod("/bot/bot.py", 0o777))
attempt("rename", lambda: os.rename("/bot/bot.py", "/bot/other.py"))
attempt("server socket", lambda: os.unlink("/run/arena.sock"))
""",
    "leaves a hard link": """
attempt("to its program", lambda: os.link("/bot/bot.py", "/tmp/link"))
attempt("to a library", lambda: os.link(os.path.realpath("/bin/sh"), "/tmp/link"))
""",
    "leaves a device": """
attempt("disk", lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(254, 0)))
attempt("memory", lambda: os.mknod("/tmp/memory", stat.S_IFCHR | 0o666, os.makedev(1, 1)))
""",
    "opens devices": """
for device in ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/ptmx0"):
    attempt(device, lambda: os.open(device, os.O_RDWR))
""",
    "runs a set-uid program": """
import shutil
shutil.copy(os.path.realpath("/bin/sh"), "/tmp/sh")
os.chmod("/tmp/sh", 0o4755)
before = open("/proc/self/status").read().split("Uid:")[1].split()[1]
if os.fork() == 0:
    os.execv("/tmp/sh", ["sh", "-c", "[ $(id -u) = 1000 ] && echo held set-uid: no new rights || echo ESCAPED"])
os.wait()
attempt("root", lambda: os.setuid(0))
attempt("groups", lambda: os.setgroups([0]))
""",
    "connects over TCP": """
attempt("host", lambda: connect(socket.SOCK_STREAM, ("127.0.0.1", outside["port"])))
attempt("outside", lambda: connect(socket.SOCK_STREAM, ("192.0.2.1", 80)))
attempt("IPv6", lambda: connect(socket.SOCK_STREAM, ("2001:db8::1", 80), socket.AF_INET6))
""",
    "sends datagrams": """
attempt("host", lambda: connect(socket.SOCK_DGRAM, ("192.0.2.1", 53)))
attempt("broadcast", lambda: connect(socket.SOCK_DGRAM, ("255.255.255.255", 67)))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
""",
    "looks up names": """
attempt("DNS", lambda: socket.getaddrinfo("arena.example", 80))
attempt("multicast DNS", lambda: connect(socket.SOCK_DGRAM, ("224.0.0.251", 5353)))
""",
    "asks the metadata service of a cloud": """
attempt("IPv4", lambda: connect(socket.SOCK_STREAM, ("169.254.169.254", 80)))
attempt("IPv6", lambda: connect(socket.SOCK_STREAM, ("fd00:ec2::254", 80), socket.AF_INET6))
""",
    "connects to an abstract socket": """
attempt("abstract", lambda: connect(socket.SOCK_STREAM, "\\0" + outside["abstract"], socket.AF_UNIX))
attempt("systemd", lambda: connect(socket.SOCK_STREAM, "/run/systemd/private", socket.AF_UNIX))
attempt("docker", lambda: connect(socket.SOCK_STREAM, "/run/docker.sock", socket.AF_UNIX))
""",
    "opens sockets of other families": """
for family in (40, 38, 31, 29, 21, 44):  # vsock, the crypto API, Bluetooth, CAN, RDS, XDP
    attempt(family, lambda: socket.socket(family, socket.SOCK_STREAM))
for protocol in (0, 2):  # routes, and messages between programs: what nobody reads counts for no box
    attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW, protocol))
""",
    "traces its neighbour": """
attempt("attach", lambda: checked(libc.ptrace(16, outside["neighbour_pid"], None, None)))
attempt("seize", lambda: checked(libc.ptrace(0x4206, outside["neighbour_pid"], None, None)))
attempt("itself", lambda: checked(libc.ptrace(0, 0, None, None)))
attempt("memory", lambda: open(f"/proc/{{outside['neighbour_pid']}}/mem", "rb"))
buffer = ctypes.create_string_buffer(8)
attempt("readv", lambda: checked(libc.process_vm_readv(outside["neighbour_pid"], buffer, 1, buffer, 1, 0)))
""",
    "uses inherited descriptors": """
attempt("descriptors", lambda: must_be_empty([each for each in os.listdir("/proc/self/fd") if int(each) > 3]))
attempt("input", lambda: must_be_empty(os.read(0, 10)))
""",
    "finds shared memory of its twin": """
attempt("System V", lambda: checked(libc.shmget(outside["key"], 1, 0)))
attempt("semaphore", lambda: checked(libc.semget(outside["key"], 1, 0)))
attempt("message queue", lambda: checked(libc.msgget(outside["key"], 0)))
attempt("POSIX", lambda: read("/dev/shm/" + outside["shared"]))
attempt("scratch", lambda: read("/tmp/" + outside["shared"]))
realtime = ctypes.CDLL("librt.so.1", use_errno=True)
attempt("POSIX queue", lambda: checked(realtime.mq_open(b"/twin", os.O_RDWR | os.O_CREAT, 0o600, None)))
""",
    "makes namespaces": """
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000),
                   ("ipc", 0x8000000), ("uts", 0x4000000), ("cgroup", 0x2000000), ("time", 0x80)):
    attempt(name, lambda: checked(libc.unshare(flag)))
attempt("clone", lambda: syscall({{"x86_64": 56, "aarch64": 220}}[os.uname().machine], 0x10000000 | 17, 0, 0, 0, 0))
attempt("clone3", lambda: syscall(435, 0, 0))
attempt("setns", lambda: checked(libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0)))
""",
    "mounts": """
attempt("tmpfs", lambda: checked(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)))
attempt("proc", lambda: checked(libc.mount(b"proc", b"/tmp", b"proc", 0, None)))
attempt("writable", lambda: checked(libc.mount(None, b"/bot", None, 32 | 4096, None)))
attempt("unmount", lambda: checked(libc.umount2(b"/tmp", 2)))
attempt("chroot", lambda: os.chroot("/tmp"))
attempt("fsopen", lambda: syscall(430, b"tmpfs", 0))
""",
    "leaves its control group": """
attempt("files", lambda: os.listdir("/sys/fs/cgroup"))
attempt("mount", lambda: checked(libc.mount(b"none", b"/tmp", b"cgroup2", 0, None)))
""",
    "uses the keyring": """
attempt("add", lambda: syscall({{"x86_64": 248, "aarch64": 217}}[os.uname().machine], b"user", b"twin", b"x", 1, -4))
attempt("ask", lambda: syscall({{"x86_64": 249, "aarch64": 218}}[os.uname().machine], b"user", b"twin", 0, -4))
attempt("keyctl", lambda: syscall({{"x86_64": 250, "aarch64": 219}}[os.uname().machine], 0, -4, 1))
""",
    "uses io_uring": """
parameters = ctypes.create_string_buffer(120)
attempt("setup", lambda: syscall(425, 8, parameters))
attempt("older", lambda: syscall({{"x86_64": 206, "aarch64": 0}}[os.uname().machine], 8, parameters))
""",
    "uses perf and bpf": """
numbers = {{"x86_64": (298, 321, 323), "aarch64": (241, 280, 282)}}[os.uname().machine]
zeros = ctypes.create_string_buffer(128)
zeros[4] = 128
attempt("perf", lambda: syscall(numbers[0], zeros, 0, -1, -1, 0))
attempt("bpf", lambda: syscall(numbers[1], 0, zeros, 128))
attempt("userfaultfd", lambda: syscall(numbers[2], 0))
""",
    "changes the handler of core files": """
for file in ("core_pattern", "modprobe", "hotplug", "sysrq", "randomize_va_space", "yama/ptrace_scope"):
    attempt(file, lambda: write("/proc/sys/kernel/" + file))
attempt("sysrq", lambda: write("/proc/sysrq-trigger"))
for file in ("oom_score_adj", "coredump_filter", "autogroup", "mem"):  # the kernel would let a program write its own
    attempt(file, lambda: open("/proc/self/" + file, "r+b"))
attempt("another's", lambda: open("/proc/1/oom_score_adj", "r+b"))
""",
    "changes the clock and the name of the host": """
attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
attempt("name", lambda: socket.sethostname("escape"))
attempt("reboot", lambda: checked(libc.reboot(0x89ABCDEF)))
attempt("modules", lambda: syscall({{"x86_64": 313, "aarch64": 273}}[os.uname().machine], 0, b"", 0))
attempt("log", lambda: checked(libc.klogctl(3, ctypes.create_string_buffer(10), 10)))
""",
    "raises its priority and its limits": """
attempt("nice", lambda: os.nice(-10))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
for name in ("NOFILE", "FSIZE", "CORE", "MEMLOCK"):
    def rise(kind=getattr(resource, "RLIMIT_" + name)):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except ValueError as error:
            raise OSError(str(error)) from error
    attempt(name, rise)
""",
    "has secrets of CI in its environment": """
found = [name for name in os.environ if name.startswith(("GITHUB", "AWS", "CI_", "ARENA_", "SSH"))]
attempt("variables", lambda: must_be_empty(found))
attempt("home", lambda: os.listdir("/root/.ssh"))
""",
    "types into the terminal of its starter": """
import fcntl
attempt("TIOCSTI", lambda: fcntl.ioctl(0, 0x5412, b"x"))
attempt("terminal", lambda: open("/dev/tty"))
""",
    "scans the host": """
open_ports = []
for port in (22, 80, 443, 2375, 5432, 6379, 7777, 8080, outside["port"]):
    with socket.socket() as probe:
        probe.settimeout(1)
        open_ports += [port] if probe.connect_ex(("127.0.0.1", port)) == 0 else []
attempt("ports", lambda: must_be_empty(open_ports))
attempt("interfaces", lambda: must_be_empty([name for _, name in socket.if_nameindex() if name != "lo"]))
attempt("neighbours", lambda: must_be_empty(open("/proc/net/arp").read().splitlines()[1:]))
""",
}

FLOODS: Final[Mapping[str, str]] = {
    "fork bomb": """
say("started")
while True:
    try:
        if os.fork():
            continue
    except OSError:
        time.sleep(0.01)
""",
    "thread bomb": """
count = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        count += 1
except RuntimeError:
    say(f"threads {{count}}")
    os._exit(0)
""",
    "memory bomb": """
held = []
while True:
    held.append(b"x" * (1 << 20))
""",
    "memory bomb of children": """
for _ in range(8):
    if os.fork() == 0:
        held = b"x" * (48 << 20)
        time.sleep(0.5)
        os._exit(0)
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
""",
    "tmpfs bomb": """
written = 0
for folder in ("/tmp", "/dev/shm"):
    try:
        with open(folder + "/bomb", "wb") as file:
            while True:
                file.write(b"x" * (1 << 20))
                file.flush()
                written += 1
    except OSError as error:
        say(f"full {{folder}} {{errno.errorcode[error.errno]}}")
say(f"written {{written}}")
""",
    "bomb of unread bytes": """
held, unread = [], 0
try:
    while unread < 400 << 20:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            sender = socket.create_connection(server.getsockname())
            held += [sender, server.accept()[0]]
        sender.setblocking(False)
        try:
            while True:
                unread += sender.send(b"x" * 65536)
        except BlockingIOError:
            pass
except OSError as error:
    say(errno.errorcode[error.errno])
say(f"unread {{unread >> 20}}")
""",
    "inode bomb": """
count = 0
try:
    while True:
        os.mkdir(f"/tmp/{{count}}")
        count += 1
except (OSError, MemoryError):
    say(f"inodes {{count}}")
""",
    "file bomb": """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("/tmp/large", "wb") as file:
        file.truncate(1 << 40)
except OSError as error:
    say(errno.errorcode[error.errno])
""",
    "descriptor bomb": """
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    say(f"{{errno.errorcode[error.errno]}} {{len(held)}}")
""",
    "gigabyte of output": """
line = b"x" * 65535 + b"\\n"
for _ in range(16384):
    os.write(1, line)
""",
    "spin on all cores": """
for _ in range(3):
    if os.fork() == 0:
        break
while True:
    pass
""",
}
