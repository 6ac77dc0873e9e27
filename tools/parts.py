"""The files that the calculator of the site is made of, by npm and pip: `python -m tools.parts FOLDER [--axe]`.

They are named with their checksums in `ndis_verify/report/calculator.py`; one that is there already is not fetched.
`--axe`: the checker of accessibility too, which tests of the pages run in the browser.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from ndis_verify.report.calculator import PARTS, checked

AXE = {"axe-core-4.14.1.tgz": "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"}


def main() -> None:
    """Fetch what is missing in the folder, and check all of it."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = PARTS | (AXE if "--axe" in sys.argv else {})
    for name in wanted:
        if not (folder / name).exists():
            with tempfile.TemporaryDirectory() as empty:
                subprocess.run(_command(name, folder), cwd=empty, check=True, stdout=subprocess.DEVNULL)
    sizes = {name: len(content) for name, content in checked(folder, wanted).items()}
    print(f"{len(sizes)} parts, {sum(sizes.values()) / 2**20:.1f} MiB, as they should be: {folder}")


def _command(name: str, folder: Path) -> list[str]:
    """How a file is fetched, from what its name says."""
    if name.endswith(".tgz"):
        package, _, version = name.removesuffix(".tgz").rpartition("-")
        return ["npm", "pack", "--silent", f"{package}@{version}", "--pack-destination", str(folder)]
    package, version, python, abi, platform = name.removesuffix(".whl").split("-")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(folder),
    ]
    if platform != "any":
        pip += ["--platform", platform, "--abi", abi, "--python-version", f"{python[2]}.{python[3:]}"]
    return [*pip, f"{package}=={version}"]


if __name__ == "__main__":
    main()
