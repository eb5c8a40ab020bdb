// From the report of a recording (docs/schema/report.schema.json) to findings at lines. Words, numbers and code are the
// report's.
'use strict';

const path = require('node:path');

// "1.77× (1.18 to 2.65) of the training step, estimate"; empty where the gain is not known.
function gainText(gain) {
  if (!gain || gain.speedup === null) return '';
  const interval = gain.low === null || gain.high === null ? '' : ` (${gain.low.toFixed(2)} to ${gain.high.toFixed(2)})`;
  const basis = gain.estimate ? 'estimate' : gain.basis.startsWith('measured') ? 'measured' : gain.basis;
  return `${gain.speedup.toFixed(2)}×${interval} of the ${gain.scope}, ${basis}`;
}

// The places that called what a finding is about: those of its configuration, of the whole program the one that took
// the most time on the GPU.
function sitesOf(finding, configurations) {
  const sites = (some) => some.flatMap((each) => each.call_sites ?? []).filter((site) => site.file && site.line > 0);
  const own = finding.of_program ? [] : configurations.filter((each) => each.index === finding.configuration);
  if (own.length > 0) return sites(own);
  return sites(configurations).sort((a, b) => (b.gpu_ms ?? 0) - (a.gpu_ms ?? 0)).slice(0, 1);
}

// [{file, line, rule, title, message, severity, gain, fixes: [{text, code, shell}]}], what asks for something alone.
function placedFindings(report) {
  const placed = [];
  for (const finding of report.findings) {
    if (finding.section !== 'action' || finding.in_baseline) continue;
    const fixes = finding.suggestions
      .filter((each) => !each.refuted)
      .map((each) => ({text: each.text, code: (each.code ?? '').replace(/\n+$/, ''), shell: each.effort === 'command'}));
    for (const site of sitesOf(finding, report.configurations))
      placed.push({
        file: site.file,
        line: site.line,
        rule: finding.rule,
        title: finding.title,
        message: finding.message,
        severity: finding.severity,
        gain: gainText(finding.gain),
        fixes,
      });
  }
  return placed;
}

// The file here of one that was recorded, or nothing. `mapping`: recorded folders to folders here; `folders`: those of
// the workspace; `exists(file)`.
function findSource(file, mapping, folders, exists) {
  const recorded = file.replace(/\\/g, '/');
  const prefixes = Object.keys(mapping).sort((a, b) => b.length - a.length);  // the nearest folder counts
  for (const prefix of prefixes) {
    const folder = prefix.replace(/[\\/]+$/, '').replace(/\\/g, '/');
    if (!recorded.startsWith(folder + '/')) continue;
    const here = mapping[prefix].replace('${workspaceFolder}', folders[0] ?? '');
    const mapped = path.join(here, recorded.slice(folder.length + 1));
    if (exists(mapped)) return mapped;
  }
  if (path.isAbsolute(file) && exists(file)) return file;
  // The longest end of the path that there is in the workspace.
  const parts = recorded.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  for (let from = 0; from < parts.length; ++from)
    for (const folder of folders) {
      const candidate = path.join(folder, ...parts.slice(from));
      if (exists(candidate)) return candidate;
    }
  return undefined;
}

// The code as lines to put above a line, as far in as that line is.
function indented(code, line) {
  const margin = /^\s*/.exec(line)[0];
  return code.split('\n').map((each) => (each === '' ? '' : margin + each)).join('\n') + '\n';
}

module.exports = {gainText, placedFindings, findSource, indented};
