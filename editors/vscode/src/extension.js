// Findings of a recording at the lines of the program: diagnostics, their code on hovering and by the light bulb.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const {Client} = require('./client');
const {placedFindings, findSource, indented} = require('./findings');

const ENDING = '.rnnprof';

class Findings {
  constructor() {
    this.diagnostics = vscode.languages.createDiagnosticCollection('rnnadvisor');
    this.placed = new Map();  // by the text of the URI: [{finding, line}], lines from 0
    this.shown = undefined;  // the recording, as a URI
    this.asked = 0;
    this.client = undefined;
  }

  dispose() {
    this.diagnostics.dispose();
    this.client?.dispose();
  }

  server() {
    const program = vscode.workspace.getConfiguration('rnnadvisor').get('program') || 'rnnadvisor';
    if (this.client?.program !== program) {
      this.client?.dispose();
      this.client = new Client(program, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
    }
    return this.client;
  }

  clear() {
    this.shown = undefined;
    this.asked += 1;
    this.placed.clear();
    this.diagnostics.clear();
  }

  // Shows what is found in a recording instead of what is shown; the number of places, or nothing where it failed or
  // another was asked for meanwhile.
  async show(uri) {
    this.shown = uri;
    const asked = ++this.asked;
    let report;
    try {
      report = await this.server().request('findings', {profile: uri.fsPath});
    } catch (error) {
      if (asked === this.asked) vscode.window.showErrorMessage(`rnnadvisor: ${error.message}`);
      return undefined;
    }
    if (asked !== this.asked) return undefined;
    const missing = this.place(placedFindings(report));
    const count = [...this.placed.values()].reduce((sum, each) => sum + each.length, 0);
    const lost = missing.size === 0 ? '' : ` Not found here: ${[...missing].join(', ')} (setting rnnadvisor.pathMapping).`;
    if (missing.size > 0) vscode.window.showWarningMessage(`rnnadvisor: ${report.headline}${lost}`);
    else vscode.window.setStatusBarMessage(`rnnadvisor: ${report.headline}`, 10000);
    return count;
  }

  // Returns the files that are not here.
  place(found) {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
    const mapping = vscode.workspace.getConfiguration('rnnadvisor').get('pathMapping') ?? {};
    const missing = new Set();
    const files = new Map();
    this.placed.clear();
    this.diagnostics.clear();
    for (const finding of found) {
      if (!files.has(finding.file)) files.set(finding.file, findSource(finding.file, mapping, folders, (file) => fs.existsSync(file)));
      const file = files.get(finding.file);
      if (file === undefined) {
        missing.add(finding.file);
        continue;
      }
      const uri = vscode.Uri.file(file);
      const key = uri.toString();
      if (!this.placed.has(key)) this.placed.set(key, {uri, all: []});
      this.placed.get(key).all.push({finding, line: finding.line - 1});
    }
    for (const [key, {uri, all}] of this.placed) {
      this.diagnostics.set(uri, all.map(({finding, line}) => diagnostic(finding, line)));
      this.placed.set(key, all);
    }
    return missing;
  }

  at(document, first, last) {
    return (this.placed.get(document.uri.toString()) ?? []).filter(({line}) => line >= first && line <= last);
  }

  provideHover(document, position) {
    const here = this.at(document, position.line, position.line);
    return here.length === 0 ? undefined : new vscode.Hover(here.map(({finding}) => description(finding)));
  }

  provideCodeActions(document, range) {
    const actions = [];
    for (const {finding, line} of this.at(document, range.start.line, range.end.line)) {
      if (line >= document.lineCount) continue;
      const gain = finding.gain === '' ? '' : ` (${finding.gain})`;
      for (const fix of finding.fixes) {
        if (fix.code === '') continue;
        if (!fix.shell) {
          const insert = new vscode.CodeAction(`Insert above this line: ${finding.title}${gain}`, vscode.CodeActionKind.QuickFix);
          insert.edit = new vscode.WorkspaceEdit();
          insert.edit.insert(document.uri, new vscode.Position(line, 0), indented(fix.code, document.lineAt(line).text));
          actions.push(insert);
        }
        const copy = new vscode.CodeAction(`Copy ${fix.shell ? 'the command' : 'the code'}: ${finding.title}${gain}`, vscode.CodeActionKind.QuickFix);
        copy.command = {command: 'rnnadvisor.copy', title: 'Copy', arguments: [fix.code]};
        actions.push(copy);
      }
    }
    return actions;
  }
}

function diagnostic(finding, line) {
  const severities = {
    error: vscode.DiagnosticSeverity.Error,
    warning: vscode.DiagnosticSeverity.Warning,
    opportunity: vscode.DiagnosticSeverity.Information,
  };
  const gain = finding.gain === '' ? '' : ` Gain: ${finding.gain}.`;
  const made = new vscode.Diagnostic(
    new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER), `${finding.title}. ${finding.message}${gain}`,
    severities[finding.severity] ?? vscode.DiagnosticSeverity.Hint);
  made.source = 'rnnadvisor';
  made.code = finding.rule;
  return made;
}

// Its text comes from a file, so none of it is read as Markdown.
function description(finding) {
  const text = new vscode.MarkdownString();
  text.appendText(`${finding.title}${finding.gain === '' ? '' : ` → ${finding.gain}`}\n\n${finding.message}\n\n`);
  for (const fix of finding.fixes) {
    text.appendText(`${fix.text}\n\n`);
    if (fix.code !== '') text.appendCodeblock(fix.code, fix.shell ? 'shellscript' : 'python');
  }
  return text;
}

// The newest recordings first.
async function recordings() {
  const found = await vscode.workspace.findFiles(`**/*${ENDING}`, undefined, 1000);
  const time = (uri) => {
    try {
      return fs.statSync(uri.fsPath).mtimeMs;
    } catch {
      return 0;
    }
  };
  return found.map((uri) => ({uri, time: time(uri)})).sort((a, b) => b.time - a.time).map(({uri}) => uri);
}

async function choose() {
  const items = (await recordings()).map((uri) => ({label: path.basename(uri.fsPath), description: vscode.workspace.asRelativePath(uri), uri}));
  items.push({label: 'Another file…', uri: undefined});
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, {placeHolder: 'A recording'});
  if (chosen === undefined || chosen.uri !== undefined) return chosen?.uri;
  return (await vscode.window.showOpenDialog({filters: {Recordings: [ENDING.slice(1)]}}))?.[0];
}

async function activate(context) {
  const findings = new Findings();
  const watcher = vscode.workspace.createFileSystemWatcher(`**/*${ENDING}`);
  const automatic = () => vscode.workspace.getConfiguration('rnnadvisor').get('showNewest') !== false;
  const written = (uri) => {
    const again = findings.shown?.toString() === uri.toString();
    if (again || automatic()) return findings.show(uri);
    return undefined;
  };
  const everyFile = {scheme: 'file'};
  context.subscriptions.push(
    findings,
    watcher,
    watcher.onDidCreate(written),
    watcher.onDidChange(written),
    vscode.commands.registerCommand('rnnadvisor.show', async (uri) => {
      const chosen = uri ?? (await choose());
      return chosen && findings.show(chosen);
    }),
    vscode.commands.registerCommand('rnnadvisor.clear', () => findings.clear()),
    vscode.commands.registerCommand('rnnadvisor.copy', (code) => vscode.env.clipboard.writeText(code)),
    vscode.languages.registerHoverProvider(everyFile, findings),
    vscode.languages.registerCodeActionsProvider(everyFile, findings, {providedCodeActionKinds: [vscode.CodeActionKind.QuickFix]}));
  if (!automatic()) return;
  const [newest] = await recordings();
  if (newest) await findings.show(newest);
}

module.exports = {activate, deactivate() {}};
