"""Explains why this package cannot be loaded if a file beside the bot has the name of a module that it needs.

Python looks for modules in the folder of the script first. So a `random.py` there takes the place of Python's own
module, and the program ends in a traceback from deep inside a library. This module needs `gc`, `os` and `sys` alone,
which are built in or loaded before the script.
"""

import gc
import os
import sys

PACKAGES = ("grpc", "google")
"""What this package needs besides Python's own modules."""


def load_package() -> None:
    """Load the modules of this package. If a file of the script's folder hides one of them, print that and exit."""
    loaded = {*sys.modules}
    collects = gc.isenabled()
    gc.disable()  # nothing of what modules create is garbage
    try:
        import cheatarena.polling  # noqa: PLC0415  must precede every import of gRPC
        import cheatarena.run  # noqa: F401, PLC0415  only to see whether it can be loaded
    except Exception:
        hidden = _find_hidden({*sys.modules})
        if not hidden:
            raise
    else:
        hidden = _find_hidden({*sys.modules} - loaded)
    finally:
        if collects:
            gc.enable()
    if hidden:
        for file, what in hidden:
            sys.stderr.write(f"{file} hides {what}, which cheatarena needs: rename it\n")
        sys.exit(64)


def _find_hidden(names: set[str]) -> list[tuple[str, str]]:
    """Return, of these modules, those that came from the script's folder: each as its file and what the file hides."""
    folder = os.path.abspath(sys.path[0])  # noqa: PTH100  pathlib may be what is hidden
    if folder == os.path.dirname(os.__file__):  # noqa: PTH120  a debugger or editor that comes with Python
        return []
    own = {os.path.join(folder, f"{name}.py"): f"the package {name}" for name in PACKAGES}  # noqa: PTH118  as above
    for name in sys.stdlib_module_names:
        for file in (f"{name}.py", os.path.join(name, "__init__.py")):  # noqa: PTH118  as above
            own[os.path.join(folder, file)] = f"Python's own module {name}"  # noqa: PTH118  as above
    files = sorted(str(getattr(sys.modules[name], "__file__", None)) for name in names)
    return [(file, own[file]) for file in files if file in own and os.path.isfile(file)]  # noqa: PTH113  as above


load_package()
