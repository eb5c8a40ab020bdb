// The extension on a stand-in for VS Code, with the real `rnnadvisor serve --stdio` (RNNADVISOR_PROGRAM) and real
// recordings of the samples.
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const {Client} = require('../src/client');
const {findSource, gainText, indented, placedFindings} = require('../src/findings');
const {makeHost, loadExtension, openDocument, Uri, Position, Range} = require('./fake_vscode');

const ROOT = path.resolve(__dirname, '../../..');
const PROGRAM = process.env.RNNADVISOR_PROGRAM;
const RECORDED = path.join(ROOT, 'samples/recorded/programs');
const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'utf8'));

// A workspace with a recording and the program that it is of, somewhere below.
function workspace(context, sample, source, place) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rnnadvisor-vscode-'));
  context.after(() => fs.rmSync(folder, {recursive: true}));
  fs.mkdirSync(path.join(folder, 'runs'));
  if (sample) fs.copyFileSync(path.join(RECORDED, sample), path.join(folder, 'runs/run.rnnprof'));
  const file = path.join(folder, place);
  fs.mkdirSync(path.dirname(file), {recursive: true});
  fs.copyFileSync(path.join(ROOT, source), file);
  return {folder, file, recording: path.join(folder, 'runs/run.rnnprof')};
}

async function open(context, folder, settings) {
  const {host, vscode} = makeHost(folder, {program: PROGRAM, showNewest: true, pathMapping: {}, ...settings});
  const subscriptions = [];
  context.after(() => subscriptions.forEach((each) => each.dispose()));
  await loadExtension(vscode).activate({subscriptions});
  return host;
}

const advice = (recording) => JSON.parse(execFileSync(PROGRAM, ['advise', recording, '--json'], {stdio: ['ignore', 'pipe', 'ignore']}));

test('the newest recording is shown at the lines that call the layer, as the command judges it', async (context) => {
  const {folder, file, recording} = workspace(context, 'pytorch-gru.rnnprof', 'samples/programs/pytorch/gru.py', 'programs/pytorch/gru.py');
  const host = await open(context, folder);
  const report = advice(recording);
  const wanted = report.findings.filter((each) => each.section === 'action');
  assert.ok(wanted.length >= 2);
  const shown = host.diagnostics.get(file);
  assert.deepStrictEqual(shown.map((each) => each.code), wanted.map((each) => each.rule));
  const [site] = report.configurations[0].call_sites;
  for (const [i, diagnostic] of shown.entries()) {
    assert.strictEqual(diagnostic.range.start.line, site.line - 1);
    assert.ok(diagnostic.message.includes(wanted[i].message));
    assert.ok(diagnostic.message.includes(`${wanted[i].gain.speedup.toFixed(2)}×`));
    assert.match(diagnostic.message, /estimate/);
    assert.strictEqual(diagnostic.severity, 1);
    assert.strictEqual(diagnostic.source, 'rnnadvisor');
  }
  assert.deepStrictEqual(host.messages, [['status', `rnnadvisor: ${report.headline}`]]);

  // Hovering: all of it, with the code.
  const document = openDocument(file);
  const [, provider] = host.hover;
  const hover = provider.provideHover(document, new Position(site.line - 1, 3));
  assert.strictEqual(hover.contents.length, wanted.length);
  assert.ok(hover.contents[0].value.includes(`\n${wanted[0].suggestions[0].code}\n`));
  assert.ok(!hover.contents.some((each) => each.isTrusted));
  assert.strictEqual(provider.provideHover(document, new Position(0, 0)), undefined);

  // The light bulb: a command is copied, code can be inserted, too.
  const [, actions] = host.actions;
  const offered = actions.provideCodeActions(document, new Range(site.line - 1, 0, site.line - 1, 5));
  const command = offered.find((each) => each.title.startsWith('Copy the command'));
  await host.commands.get(command.command.command)(...command.command.arguments);
  assert.strictEqual(host.clipboard, wanted[0].suggestions[0].code);
  const [{uri, position, text}] = offered.find((each) => each.edit).edit.edits;
  assert.strictEqual(uri.fsPath, file);
  assert.strictEqual(position.line, site.line - 1);
  const code = wanted.flatMap((each) => each.suggestions).find((each) => each.code && each.effort !== 'command').code;
  assert.deepStrictEqual(text.trimEnd().split('\n').map((line) => line.trim()), code.trimEnd().split('\n').map((line) => line.trim()));
  assert.strictEqual(actions.provideCodeActions(document, new Range(0, 0, 1, 0)).length, 0);

  await host.commands.get('rnnadvisor.clear')();
  assert.strictEqual(host.diagnostics.size, 0);
});

test('a change that was tried has its measured gain', async (context) => {
  const {folder, recording} = workspace(context, null, 'samples/programs/pytorch/gru.py', 'lstm.py');
  fs.copyFileSync(path.join(ROOT, 'tests/gpu/results/h200/lstm-160-verified.rnnprof'), recording);
  const host = await open(context, folder);
  const report = advice(recording);
  const tried = report.findings.find((each) => each.trial);
  const shown = host.diagnostics.get(path.join(folder, 'lstm.py')).find((each) => each.code === tried.rule);
  assert.ok(shown.message.includes(`${tried.gain.speedup.toFixed(2)}×`) && shown.message.includes('measured'));
});

test('a recording is chosen by hand, and read anew where it changes', async (context) => {
  const {folder, file, recording} = workspace(context, 'pytorch-gru.rnnprof', 'samples/programs/pytorch/gru.py', 'pytorch/gru.py');
  const host = await open(context, folder, {showNewest: false});
  assert.strictEqual(host.diagnostics.size, 0);
  const count = await host.commands.get('rnnadvisor.show')();
  assert.strictEqual(count, host.diagnostics.get(file).length);
  const before = host.diagnostics.get(file).map((each) => each.code);
  fs.copyFileSync(path.join(RECORDED, 'pytorch-two-layers.rnnprof'), recording);
  fs.copyFileSync(path.join(ROOT, 'samples/programs/pytorch/two_layers.py'), path.join(folder, 'pytorch/two_layers.py'));
  await host.watchers.changed(Uri.file(recording));
  assert.ok(!host.diagnostics.has(file));
  assert.notDeepStrictEqual(host.diagnostics.get(path.join(folder, 'pytorch/two_layers.py')).map((each) => each.code), before);
  // Of another one nothing is shown without being asked.
  assert.strictEqual(host.watchers.created(Uri.file(path.join(folder, 'other.rnnprof'))), undefined);
});

test('an error is shown, and the next request starts the server again', async (context) => {
  const {folder, recording} = workspace(context, 'pytorch-gru.rnnprof', 'samples/programs/pytorch/gru.py', 'elsewhere/other.py');
  let host = await open(context, folder);
  assert.match(host.messages[0][1], /Not found here: .*gru\.py.*pathMapping/);
  host = await open(context, folder, {program: path.join(folder, 'no-such-program')});
  assert.match(host.messages[0][1], /was not found/);
  host = await open(context, folder, {program: process.execPath});  // node: no server
  assert.match(host.messages[0][1], /has ended \(status \d+\)/);
  fs.writeFileSync(recording, 'no profile');
  host = await open(context, folder);
  assert.strictEqual(host.messages[0][0], 'error');

  const client = new Client(PROGRAM, folder);
  context.after(() => client.dispose());
  const {rnnadvisor} = await client.request('version', {});
  assert.strictEqual(rnnadvisor, manifest.version);
  await assert.rejects(client.request('nothing', {}), /there is no method/);
  client.server.process.kill('SIGSTOP');  // so that it cannot answer before it is killed
  const lost = client.request('map', {configuration: {hidden_size: 64}, device: 'a100'});
  client.server.process.kill('SIGKILL');
  await assert.rejects(lost, /has ended \(SIGKILL\)/);
  const answers = await Promise.all([1, 2, 3].map((n) => client.request('check', {configuration: {hidden_size: 8 * n, id: `é${n}`}, device: 'a100'})));
  assert.deepStrictEqual(answers.map((each) => each.id), ['é1', 'é2', 'é3']);
});

test('sources that were recorded elsewhere are found', () => {
  const there = new Set(['/home/me/project/src/model.py', '/home/me/project/model.py', '/data/train.py']);
  const find = (file, mapping = {}) => findSource(file, mapping, ['/home/me/project'], (each) => there.has(each));
  assert.strictEqual(find('/data/train.py'), '/data/train.py');
  assert.strictEqual(find('/app/src/model.py'), '/home/me/project/src/model.py');
  assert.strictEqual(find('src/model.py'), '/home/me/project/src/model.py');
  assert.strictEqual(find('/app/lib/model.py'), '/home/me/project/model.py');
  assert.strictEqual(find('C:\\work\\src\\model.py'), '/home/me/project/src/model.py');
  assert.strictEqual(find('/app/model.py', {'/app': '${workspaceFolder}/src'}), '/home/me/project/src/model.py');
  assert.strictEqual(find('/app/x/train.py', {'/app': '/nowhere', '/app/x/': '/data'}), '/data/train.py');
  assert.strictEqual(find('/application/train.py', {'/app': '/data'}), undefined);
  assert.strictEqual(find('../../etc/passwd'), undefined);
});

test('gains, places and code', () => {
  assert.strictEqual(gainText(null), '');
  assert.strictEqual(gainText({speedup: null}), '');
  const gain = {speedup: 1.5, low: null, high: null, scope: 'training step', basis: 'documented', estimate: false};
  assert.strictEqual(gainText(gain), '1.50× of the training step, documented');
  assert.strictEqual(indented('a\n\n  b', '\t  y = rnn(x)'), '\t  a\n\n\t    b\n');
  const finding = {section: 'action', in_baseline: false, suggestions: [{refuted: true, text: 'no'}], rule: 'r', title: 't', message: 'm', severity: 'error', gain: null};
  const site = (line, gpu_ms) => ({file: 'a.py', line, gpu_ms});
  const report = {
    configurations: [{index: 0, call_sites: [site(1, 2), site(0, 9)]}, {index: 1, call_sites: [site(3, 4), site(5, 1)]}, {index: 2, call_sites: null}],
    findings: [
      {...finding, configuration: 1, of_program: false},
      {...finding, configuration: 0, of_program: true},
      {...finding, configuration: 0, of_program: false, section: 'remark'},
      {...finding, configuration: 0, of_program: false, in_baseline: true},
      {...finding, configuration: null, of_program: false},
    ],
  };
  const placed = placedFindings(report);
  assert.deepStrictEqual(placed.map((each) => each.line), [3, 5, 3, 3]);
  assert.ok(placed.every((each) => each.fixes.length === 0));
});
