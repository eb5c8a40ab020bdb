#!/usr/bin/env python3
"""Public training programs with recurrent layers, at fixed commits, with made-up data: for `tried.py --list DEST/programs.jsonl`.

fetch.py DEST [--only NAME,…] [--set first|second|third] [--mirror FOLDER]: gets the files that each program of programs.jsonl needs from GitHub, or from local git
directories FOLDER/OWNER+NAME (or .git, repo, repo/.git in it), and writes its stand-in modules and data. Needs git, tar and NumPy. Where the
programs run, DEST/data.py then makes the bulky data.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import data  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def git(*words):
    done = subprocess.run(["git", *map(str, words)], capture_output=True)
    if done.returncode:
        raise RuntimeError("`git {}` failed: {}".format(" ".join(map(str, words)), done.stderr.decode(errors="replace").strip()))
    return done.stdout


def directory_of(mirror, repository):
    base = pathlib.Path(mirror) / repository.replace("/", "+")
    for folder in (base, base / ".git", base / "repo", base / "repo/.git"):
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            return folder
    raise RuntimeError(f"{base} is no git directory and contains none; put one there, or leave --mirror out")


def get(row, place, mirror):
    """The listed files of the commit, as they are, without git's own."""
    with tempfile.TemporaryDirectory() as folder:
        if mirror:
            source = directory_of(mirror, row["repository"])
        else:
            source = pathlib.Path(folder) / ".git"
            git("init", "--quiet", folder)
            git("--git-dir", source, "remote", "add", "origin", f"https://github.com/{row['repository']}")
            git("--git-dir", source, "fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", row["commit"])
            git("-C", folder, "checkout", "--quiet", row["commit"], "--", *row["files"])  # gets just these files' contents
        packed = git("--git-dir", source, "archive", row["commit"], "--", *row["files"])
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(place)], input=packed, check=True)


def write_stand_ins(row, folder):
    """Beside the program, where Python looks first; a name with others below it becomes a package that imports them."""
    names = row.get("stand_ins", {})
    for name, source in names.items():
        below = [other for other in names if other.startswith(name + ".")]
        path = folder / name.replace(".", "/")
        path = path / "__init__.py" if below else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (HERE / "stand_ins" / f"{source}.py").read_text()
        path.write_text(text + "".join(f"\n\nimport {other}  # noqa: E402, F401\n" for other in below))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest")
    parser.add_argument("--only", default="")
    parser.add_argument("--set", choices=("first", "second", "third"))
    parser.add_argument("--mirror")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (HERE / "programs.jsonl").read_text().splitlines()]
    only = [name for name in options.only.split(",") if name]
    unknown = sorted(set(only) - {row["name"] for row in rows})
    if unknown:
        sys.exit("programs.jsonl has no program {}; it has {}".format(", ".join(unknown), ", ".join(row["name"] for row in rows)))
    dest = pathlib.Path(options.dest)
    if dest.exists() and any(dest.iterdir()):
        sys.exit(f"{dest} is not empty; give a new folder, or remove it first")
    dest.mkdir(parents=True, exist_ok=True)
    rows = [row for row in rows if (not only or row["name"] in only) and options.set in (None, row.get("set", "first"))]
    failed, made = [], set()
    for row in rows:
        top = row["cwd"].split("/")[0]
        try:
            if top not in made:
                get(row, dest / top, options.mirror)
                script = next((word for word in row["command"] if word.endswith(".py")), "")  # none after -m
                write_stand_ins(row, (dest / row["cwd"] / script).parent if script else dest / row["cwd"])
                if row["data"] not in data.LATER:
                    data.make(row, dest)
            made.add(top)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            print(f"{row['name']}: {error}", file=sys.stderr)
            failed.append(row["name"])
            shutil.rmtree(dest / top, ignore_errors=True)
    (dest / "programs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows if row["name"] not in failed))
    shutil.copyfile(HERE / "data.py", dest / "data.py")
    size = sum(path.stat().st_size for path in dest.rglob("*") if path.is_file())
    print(f"{len(rows) - len(failed)} programs in {dest}, {size / 1e6:.1f} MB; where they run, start {dest / 'data.py'} once: it makes the bulky data")
    if failed:
        sys.exit("not there: {}; is the network there, or the commit in --mirror's folder?".format(", ".join(failed)))


if __name__ == "__main__":
    main()
