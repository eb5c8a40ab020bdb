"""What the command's JSON report says, as objects. Nothing is computed here: words and numbers are the command's."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

SHOWN_LINES = 4  # of code, in a text
SIGNS = {"error": "✖", "warning": "▲", "opportunity": "◆", "info": "●"}


@dataclass(frozen=True)
class Gain:
    """An expected or measured gain: how many times as fast, its interval, and what it is based on."""

    speedup: Optional[float]
    low: Optional[float]
    high: Optional[float]
    basis: str  # modelled, documented, measured …
    estimate: bool
    scope: str  # of what: training step …
    change: str

    @property
    def is_faster(self) -> bool:
        return self.speedup is not None and self.speedup > 1

    def __str__(self) -> str:
        if self.speedup is None:
            return "a gain of unknown size"
        interval = "" if self.low is None or self.high is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.speedup:.2f}×{interval}{', an estimate' if self.estimate else ''}"


@dataclass(frozen=True)
class Fix:
    """A suggestion: what to do, and the code for it where there is some."""

    text: str
    code: str
    framework: str  # whose code it is; empty: of any
    effort: str
    rule: str  # of the finding that suggests it

    def __str__(self) -> str:
        return self.text + "".join(f"\n    {line}" for line in self.code.splitlines())


@dataclass(frozen=True)
class Finding:
    rule: str
    title: str
    severity: str  # error, warning, opportunity, info
    message: str
    is_action: bool  # False: a remark, nothing to do
    gain: Optional[Gain]
    fixes: Sequence[Fix]
    data: Mapping[str, Any] = field(repr=False)  # as in the command's JSON

    @staticmethod
    def of(data: Mapping[str, Any]) -> Finding:
        gain = data["gain"]
        fixes = [
            Fix(each["text"], (each["code"] or "").rstrip("\n"), each["framework"] or "", each["effort"] or "", data["rule"])
            for each in data["suggestions"]
            if not each["refuted"]
        ]
        return Finding(
            data["rule"],
            data["title"],
            data["severity"],
            data["message"],
            data["section"] == "action",
            None if gain is None else Gain(*(gain[name] for name in Gain.__dataclass_fields__)),
            fixes,
            data,
        )

    def __str__(self) -> str:
        gain = f" → {self.gain}" if self.gain is not None and self.gain.is_faster else ""
        lines = [f"{SIGNS.get(self.severity, '●')} {self.title}{gain}", f"  {self.message}"]
        for fix in self.fixes:
            lines.append(f"  do: {fix.text}")
            code = fix.code.splitlines()
            lines += [f"      {line}" for line in code] if len(code) <= SHOWN_LINES else [f"      ({len(code)} lines of code: see .fixes)"]
        return "\n".join([*lines, f"  rule: {self.rule}"])


@dataclass(frozen=True)
class Layer:
    """A recurrent layer and what was found about it."""

    name: str
    summary: str
    verdict: str
    standing: str  # the worst severity, or fine
    given: Mapping[str, Any]  # of the configuration, as read and given
    framework: Mapping[str, Any]  # of the program around it
    findings: Sequence[Finding]
    data: Mapping[str, Any] = field(repr=False)

    @property
    def fixes(self) -> list[Fix]:
        return [fix for finding in self.findings if finding.is_action for fix in finding.fixes]

    @property
    def where(self) -> list[str]:
        """The lines of the program that called it, in a recording: file:line."""
        return [f"{site['file']}:{site['line']}" for site in self.data.get("call_sites") or []]

    def __str__(self) -> str:
        known = {**self.given, "framework": self.framework.get("name", "unknown"), **self.framework}
        read = [f"{key} {spell(value)}" for key, value in known.items() if key not in ("id", "name")]
        title = self.name if self.name == self.summary else f"{self.name}: {self.summary}"
        called = f", called at {', '.join(self.where)}" if self.where else ""
        lines = [title + called, f"  {self.verdict}", f"  read: {', '.join(read)}"]
        for finding in self.findings:
            if finding.is_action:
                lines += [f"  {line}" for line in str(finding).splitlines()]
        remarks = [finding.title for finding in self.findings if not finding.is_action]
        return "\n".join([*lines, *([f"  remarks: {'; '.join(remarks)}"] if remarks else [])])


def spell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Findings:
    """The answer of the command: a list of findings, in the order in which to act, and the layers that they are about."""

    def __init__(self, data: Mapping[str, Any], notes: Sequence[str] = (), write: Optional[Callable[[str], str]] = None) -> None:
        self.data = data
        self.notes = list(notes)
        self._write = write
        self.headline: str = data["headline"]
        self.assumption: str = data.get("assumption") or ""
        self.device: str = ", ".join(device["name"] for device in data["devices"])
        self.findings = [Finding.of(each) for each in data["findings"]]
        self.layers = [
            Layer(
                each["config"]["id"] or each["name"],
                each["summary"],
                each["verdict"],
                each["standing"],
                each.get("given") or {},
                each.get("framework") or {},
                [finding for finding in self.findings if finding.data["configuration"] == each["index"]],
                each,
            )
            for each in data["configurations"]
        ]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, name: str) -> Layer:
        """The layer of this name."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(f"there is no layer '{name}'; there are: {', '.join(layer.name for layer in self.layers)}")

    @property
    def actions(self) -> list[Finding]:
        """The findings that ask for something to be done."""
        return [finding for finding in self.findings if finding.is_action]

    @property
    def fixes(self) -> list[Fix]:
        return [fix for finding in self.actions for fix in finding.fixes]

    def write(self, format: str = "text") -> str:
        """The command's own report: text, markdown, html, sarif, junit or csv."""
        if self._write is None:
            raise ValueError("these findings came without the command's reports")
        return self._write(format)

    def _of_program(self) -> list[Finding]:
        of_layers = {id(finding) for layer in self.layers for finding in layer.findings}
        return [finding for finding in self.actions if id(finding) not in of_layers]

    def __str__(self) -> str:
        parts = [f"{self.headline}\nJudged for {self.device}." if self.device else self.headline]
        parts += [f"Note: {note}" for note in self.notes]
        parts += [self.assumption] if self.assumption else []
        parts += [str(finding) for finding in self._of_program()]
        return "\n\n".join([*parts, *map(str, self.layers)])

    def __repr__(self) -> str:
        return f"<rnnadvisor.Findings: {self.headline}>"

    def _repr_html_(self) -> str:
        text = html.escape
        rows = [f"<p><b>{text(self.headline)}</b><br>Judged for {text(self.device)}. {text(self.assumption)}</p>"]
        rows += [f"<p>Note: {text(note)}</p>" for note in self.notes]
        rows += [finding_html(finding) for finding in self._of_program()]
        for layer in self.layers:
            rows.append(f"<p><code>{text(layer.name)}</code> {text(layer.summary)}<br>{text(layer.verdict)}</p>")
            rows += [finding_html(finding) for finding in layer.findings if finding.is_action]
        return f'<div class="rnnadvisor">{"".join(rows)}</div>'


def finding_html(finding: Finding) -> str:
    text = html.escape
    gain = f" → {text(str(finding.gain))}" if finding.gain is not None and finding.gain.is_faster else ""
    fixes = "".join(
        f"<p>{text(fix.text)}</p>" + (f"<pre><code>{text(fix.code)}</code></pre>" if fix.code else "") for fix in finding.fixes
    )
    return (
        f"<details><summary>{SIGNS.get(finding.severity, '●')} {text(finding.title)}{gain}</summary>"
        f"<p>{text(finding.message)}</p>{fixes}<p><small>{text(finding.rule)}</small></p></details>"
    )
