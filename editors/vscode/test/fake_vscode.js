// As much of VS Code as the extension uses, for tests without it. What the extension shows is kept in `host`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const Module = require('node:module');

class Uri {
  constructor(fsPath) {
    this.fsPath = fsPath;
    this.scheme = 'file';
  }
  static file(fsPath) {
    return new Uri(fsPath);
  }
  toString() {
    return `file://${this.fsPath}`;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, {line, character});
  }
}

class Range {
  constructor(startLine, startCharacter, endLine, endCharacter) {
    this.start = new Position(startLine, startCharacter);
    this.end = new Position(endLine, endCharacter);
  }
}

class MarkdownString {
  constructor() {
    this.value = '';
  }
  appendText(text) {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, '\\$&');
  }
  appendCodeblock(code, language) {
    this.value += `\n\`\`\`${language}\n${code}\n\`\`\`\n`;
  }
}

class WorkspaceEdit {
  constructor() {
    this.edits = [];
  }
  insert(uri, position, text) {
    this.edits.push({uri, position, text});
  }
}

function filesBelow(folder, ending) {
  return fs.readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file, ending);
    return file.endsWith(ending) ? [file] : [];
  });
}

// A workspace of one folder with these settings; `vscode` is what the extension requires.
function makeHost(folder, settings) {
  const host = {diagnostics: new Map(), messages: [], commands: new Map(), clipboard: '', picked: 0, watchers: {}};
  const disposable = {dispose() {}};
  const keep = (list) => (...given) => {
    host[list] = given;
    return disposable;
  };
  const vscode = {
    Uri,
    Position,
    Range,
    MarkdownString,
    WorkspaceEdit,
    Hover: class {
      constructor(contents) {
        this.contents = contents;
      }
    },
    Diagnostic: class {
      constructor(range, message, severity) {
        Object.assign(this, {range, message, severity});
      }
    },
    CodeAction: class {
      constructor(title, kind) {
        Object.assign(this, {title, kind});
      }
    },
    CodeActionKind: {QuickFix: 'quickfix'},
    DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3},
    languages: {
      createDiagnosticCollection: () => ({
        set: (uri, list) => host.diagnostics.set(uri.fsPath, list),
        clear: () => host.diagnostics.clear(),
        dispose() {},
      }),
      registerHoverProvider: keep('hover'),
      registerCodeActionsProvider: keep('actions'),
    },
    commands: {
      registerCommand(name, run) {
        host.commands.set(name, run);
        return disposable;
      },
    },
    env: {
      clipboard: {
        async writeText(text) {
          host.clipboard = text;
        },
      },
    },
    window: {
      showErrorMessage: (text) => host.messages.push(['error', text]),
      showWarningMessage: (text) => host.messages.push(['warning', text]),
      setStatusBarMessage: (text) => host.messages.push(['status', text]),
      showQuickPick: async (items) => items[host.picked],
      showOpenDialog: async () => undefined,
    },
    workspace: {
      workspaceFolders: [{uri: Uri.file(folder)}],
      getConfiguration: () => ({get: (name) => settings[name]}),
      findFiles: async (pattern) => filesBelow(folder, pattern.slice(pattern.lastIndexOf('*') + 1)).map(Uri.file),
      asRelativePath: (uri) => path.relative(folder, uri.fsPath),
      createFileSystemWatcher: () => ({
        onDidCreate: (run) => ((host.watchers.created = run), disposable),
        onDidChange: (run) => ((host.watchers.changed = run), disposable),
        dispose() {},
      }),
    },
  };
  return {host, vscode};
}

// The extension anew, on this host.
function loadExtension(vscode) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
  try {
    const file = require.resolve('../src/extension.js');
    delete require.cache[file];
    return require(file);
  } finally {
    Module._load = load;
  }
}

// A document as providers get it.
function openDocument(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return {uri: Uri.file(file), lineCount: lines.length, lineAt: (line) => ({text: lines[line]})};
}

module.exports = {makeHost, loadExtension, openDocument, Uri, Position, Range};
