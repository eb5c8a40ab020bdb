#!/usr/bin/env python3
"""What is compiled into rnnadvisor, from what the build and dpkg know.

sbom.py copyright BUILD                      the text that Debian packages and the tarball have as "copyright"
sbom.py spdx BUILD OUTPUT PACKAGE...         a bill of materials of these packages (.deb, .tar.gz, .whl), SPDX 2.3 as JSON
sbom.py check SBOM FOLDER                    fails where the document breaks a rule of SPDX 2.3 or names another file than FOLDER has

BUILD is a finished build with Ninja, best of the preset portable. A library that it begins to compile in is an error until LICENCES has it.
"""
import datetime
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import uuid
import zipfile
from pathlib import Path

# Licences by Debian's name of the source package. None: only declarations are used, and the code itself comes from a shared library.
LICENCES = {
    "cli11": "BSD-3-Clause", "eigen3": "MPL-2.0", "fmtlib": "MIT", "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1", "nlohmann-json3": "MIT",
    "llvm-toolchain": "Apache-2.0 WITH LLVM-exception",
    "sqlite3": "blessing", "tl-expected": "CC0-1.0", "tomlplusplus": "MIT", "zlib": "Zlib",
    "glibc": None, "linux": None, "qt6-base": None, "qt6-svg": None, "mesa": None, "libglvnd": None, "libx11": None, "xorgproto": None,
}
CUDA = {"name": "cuda-cudart-static", "licence": "LicenseRef-NVIDIA-CUDA-EULA", "text":
        "NVIDIA CUDA Toolkit End User License Agreement. Attachment A permits the distribution of the static CUDA runtime within an application."}
NVTX_LICENCE = "Apache-2.0 WITH LLVM-exception"
LOADED = ("cuDNN", "CUPTI")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def defined(header, name):
    found = re.search(rf"^#define\s+{name}\s+(\d+)", header.read_text(errors="replace"), re.M)
    return int(found.group(1)) if found else 0


def cache(build):
    pairs = re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return dict(pairs)


def programs(build):
    places = (build / "bin/rnnadvisor", build / "bin/rnnadvisor-gui", build / "lib/librnnadvisor_plugin.so")
    return [place for place in places if place.exists()]


def compiled_from(build):
    """The files outside of the source tree and the build that the programs were compiled and linked from."""
    commands = run("ninja", "-C", build, "-t", "commands", *(str(place.relative_to(build)) for place in programs(build)))
    objects = set(re.findall(r" -o (\S+\.o)\b", commands))
    files = {word for word in commands.split() if word.startswith("/") and word.endswith(".a")}
    ours = False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            ours = line.split(":")[0] in objects
        elif ours and line.strip():
            files.add(line.strip())
    source = Path(cache(build)["CMAKE_HOME_DIRECTORY"])
    paths = {Path(os.path.normpath(build / file)) for file in files}
    return {path for path in paths if not path.is_relative_to(source) and not path.is_relative_to(build)}


def components(build):
    """Name, version, licence and, of Debian's packages, the file with their notices."""
    files = compiled_from(build)
    result = []
    # All of a folder that has the toolkit's headers is NVIDIA's, but not of the system's own folders.
    known = {path for path in files if re.match("cuda|cudnn|cupti|libcudart", path.name) or "nvtx3" in path.parts}
    folders = {path.parent for path in known if path.parts[:3] not in (("/", "usr", "include"), ("/", "usr", "lib"))}
    nvidia = known | {path for path in files if any(path.is_relative_to(folder) for folder in folders)}
    if any(path.name == "libcudart_static.a" for path in nvidia):
        number = max(defined(path, "CUDART_VERSION") for path in nvidia if path.name == "cuda_runtime_api.h")
        result.append({"name": CUDA["name"], "version": f"{number // 1000}.{number % 1000 // 10}", "licence": CUDA["licence"], "supplier": "NVIDIA"})
    nvtx = [path for path in nvidia if "nvtx3" in path.parts]
    if nvtx:
        number = max(defined(path, "NVTX_VERSION") for path in nvtx)
        result.append({"name": "nvtx", "version": str(number), "licence": NVTX_LICENCE, "supplier": "NVIDIA"})
    owners = {}
    for listed in Path("/var/lib/dpkg/info").glob("*.list"):  # dpkg-query -S takes seconds for this many files
        owners.update(dict.fromkeys(listed.read_text(errors="replace").splitlines(), listed.stem))
    packages, lost = set(), []
    for path in sorted(files - nvidia):
        owner = owners.get(str(path)) or owners.get(os.path.realpath(path))
        if owner is None:
            lost.append(str(path))
        else:
            packages.add(owner)
    for package in sorted(packages):
        name, version, source = run("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}", package).split("\t")
        source = re.sub(r"^(gcc|llvm-toolchain)-\d+$", r"\1", source)
        if source not in LICENCES:
            lost.append(f"package {name} (source {source})")
        elif LICENCES[source]:
            result.append({"name": name, "version": version, "licence": LICENCES[source], "supplier": "Debian", "source": source,
                           "notices": Path("/usr/share/doc") / name / "copyright"})
    if lost:
        sys.exit(f"sbom.py: unknown origin; LICENCES in {__file__} names what may be compiled in: " + ", ".join(lost[:5]))
    once = {}
    for each in result:  # of several packages of one source, as GCC's, one stands for all
        once.setdefault(each.get("source", each["name"]), each)
    return sorted(once.values(), key=lambda each: each["name"])


def copyright_text(build):
    parts = ["rnnadvisor is licensed under the Apache License, version 2.0; on Debian systems /usr/share/common-licenses/Apache-2.0 has its text.\n"
             "Copyright: the rnnadvisor authors.\n\n"
             "Its programs contain code of the following projects. The notices of each, as Debian's packages have them, are below.\n"]
    all_components = components(build)
    for each in all_components:
        parts.append(f"  {each['name']} {each['version']}: {each['licence']}")
    parts.append(f"\n{CUDA['licence']}: {CUDA['text']}")
    for each in all_components:
        if "notices" in each and each["notices"].exists():
            parts.append(f"\n{'=' * 100}\n{each['name']} {each['version']}\n{'=' * 100}\n\n{each['notices'].read_text(errors='replace')}")
    return "\n".join(parts) + "\n"


def digests(data):
    return [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]


def contents(package):
    """Pairs of names and bytes of the regular files in it."""
    data = package.read_bytes()
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
        return
    if package.suffix == ".deb":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile():
                yield member.name, archive.extractfile(member).read()


def copied_into(package):
    """Names and versions of the Debian packages whose files a wheel has copies of, as packaging/wheel.py lists them in its METADATA."""
    if package.suffix != ".whl":
        return []
    with zipfile.ZipFile(package) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return re.findall(r"^- Debian ([a-z0-9.+-]+) (\S+)$", archive.read(name).decode(), re.M)


def debian(name, version):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"}]


def spdx(build, output, packages):
    version = cache(build)["CMAKE_PROJECT_VERSION"]
    hashes = "".join(hashlib.sha256(package.read_bytes()).hexdigest() for package in packages)
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp())), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"rnnadvisor-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/rnnadvisor-{version}-{uuid.uuid5(uuid.NAMESPACE_OID, hashes)}",
        "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: rnnadvisor-packaging-sbom.py"]},
        "hasExtractedLicensingInfos": [{"licenseId": CUDA["licence"], "extractedText": CUDA["text"]}],
        "packages": [], "files": [], "relationships": [],
    }
    made = []

    def package(name, version_info, licence, supplier, **more):
        made.append("SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name))
        document["packages"].append({"SPDXID": made[-1], "name": name, "versionInfo": version_info, "supplier": supplier, "licenseConcluded": licence,
                                     "licenseDeclared": licence, "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION",
                                     "filesAnalyzed": False, **more})
        return made[-1]

    def related(first, kind, second):
        document["relationships"].append({"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second})

    linked = []
    for each in components(build):
        more = {"externalRefs": debian(each["name"], each["version"])} if "source" in each else {}
        linked.append(package(each["name"], each["version"], each["licence"], f"Organization: {each['supplier']}", **more))
    loaded = [package(name, "NOASSERTION", "NOASSERTION", "Organization: NVIDIA", comment="Loaded at run time where the machine has it; not contained.")
              for name in LOADED]
    for file in packages:
        own = package(file.name, version, "Apache-2.0", "Organization: rnnadvisor", packageFileName=file.name, checksums=digests(file.read_bytes()))
        related("SPDXRef-DOCUMENT", "DESCRIBES", own)
        for each in linked:
            related(own, "STATIC_LINK", each)
        for each in loaded:
            related(each, "OPTIONAL_DEPENDENCY_OF", own)
        for name, of in copied_into(file):
            related(own, "CONTAINS", package(name, of, "NOASSERTION", "Organization: Debian", externalRefs=debian(name, of),
                                             comment=f"Its terms are in the wheel: licenses/{name}.txt"))
        for name, data in contents(file):
            document["files"].append({"SPDXID": f"SPDXRef-File-{len(document['files'])}", "fileName": "./" + name.removeprefix("./"),
                                      "checksums": digests(data), "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
            related(own, "CONTAINS", document["files"][-1]["SPDXID"])
    output.write_text(json.dumps(document, indent=1) + "\n")


def check(sbom, folder):
    document = json.loads(sbom.read_text())
    wrong = []
    for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        if not document.get(key):
            wrong.append(f"no {key}")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]) or not document["creationInfo"]["creators"]:
        wrong.append("creationInfo")
    elements = document["packages"] + document["files"]
    names = ["SPDXRef-DOCUMENT", *(each["SPDXID"] for each in elements)]
    if len(set(names)) != len(names):
        wrong.append("an SPDXID is used twice")
    wrong += [f"not an SPDXID: {name}" for name in names if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name)]
    licences = {each["licenseId"] for each in document["hasExtractedLicensingInfos"]}
    for each in elements:
        own = re.findall(r"LicenseRef-[A-Za-z0-9.-]+", each["licenseConcluded"])
        wrong += [f"{each['SPDXID']}: no text of {name}" for name in own if name not in licences]
        lengths = {entry["algorithm"]: len(entry["checksumValue"]) for entry in each.get("checksums", [])}
        if lengths != ({"SHA1": 40, "SHA256": 64} if lengths or "fileName" in each else {}):
            wrong.append(f"{each['SPDXID']}: checksums")
    for each in document["packages"]:
        if not each["name"] or not each["downloadLocation"] or not each["versionInfo"]:
            wrong.append(f"{each['SPDXID']}: name, version or downloadLocation is missing")
    for each in document["relationships"]:
        wrong += [f"relationship to {end}, which is not there" for end in (each["spdxElementId"], each["relatedSpdxElement"]) if end not in names]
    described = [each["relatedSpdxElement"] for each in document["relationships"] if each["relationshipType"] == "DESCRIBES"]
    artefacts = [each for each in document["packages"] if each["SPDXID"] in described]
    for each in artefacts:
        if not (folder / each["packageFileName"]).exists() or digests((folder / each["packageFileName"]).read_bytes()) != each["checksums"]:
            wrong.append(f"{each['packageFileName']} is another file, or missing")
    if not artefacts:
        wrong.append("describes nothing")
    for line in wrong:
        print(f"sbom.py: {sbom}: {line}", file=sys.stderr)
    linked = {each["relatedSpdxElement"] for each in document["relationships"] if each["relationshipType"] == "STATIC_LINK"}
    print(f"{len(artefacts)} packages, {len(document['files'])} files, {len(linked)} libraries compiled in")
    return 1 if wrong else 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "copyright":
        print(copyright_text(Path(arguments[1]).resolve()), end="")
    elif len(arguments) > 3 and arguments[0] == "spdx":
        spdx(Path(arguments[1]).resolve(), Path(arguments[2]), [Path(name) for name in arguments[3:]])
    elif len(arguments) == 3 and arguments[0] == "check":
        return check(Path(arguments[1]), Path(arguments[2]))
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
