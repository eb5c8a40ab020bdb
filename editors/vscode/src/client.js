// A client of `rnnadvisor serve --stdio`: JSON-RPC 2.0 with Content-Length framing. The server is started by the first
// request, and again by the next one after it has ended.
'use strict';

const {spawn} = require('node:child_process');

class Client {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
    this.next = 1;
    this.server = null;
  }

  start() {
    const server = {
      process: spawn(this.program, ['serve', '--stdio'], {cwd: this.folder, stdio: ['pipe', 'pipe', 'pipe']}),
      waiting: new Map(),
      input: Buffer.alloc(0),
      said: '',
    };
    const end = (why) => {
      if (this.server === server) this.server = null;
      for (const {reject} of server.waiting.values()) reject(new Error(why));
      server.waiting.clear();
    };
    server.process.on('error', (error) =>
      end(error.code === 'ENOENT'
        ? `The command '${this.program}' was not found. Install rnnadvisor, or say where it is in the setting rnnadvisor.program.`
        : `'${this.program}' cannot be started: ${error.message}`));
    server.process.on('close', (code, signal) =>
      end(`'${this.program} serve' has ended (${signal ?? `status ${code}`}). ${server.said.trim()}`.trim()));
    server.process.stdin.on('error', () => {});  // told by 'close'
    server.process.stderr.on('data', (text) => (server.said = (server.said + text).slice(-2000)));
    server.process.stdout.on('data', (bytes) => {
      server.input = Buffer.concat([server.input, bytes]);
      try {
        this.receive(server);
      } catch (error) {
        end(`'${this.program} serve' answers what is no JSON-RPC: ${error.message}`);
        server.process.kill();
      }
    });
    this.server = server;
    return server;
  }

  receive(server) {
    for (;;) {
      const header = server.input.indexOf('\r\n\r\n');
      if (header < 0) {
        if (server.input.length > 4096) throw new Error('a header without an end');
        return;
      }
      const length = /^content-length: *(\d+)\r?$/im.exec(server.input.toString('latin1', 0, header));
      if (!length) throw new Error('a header without a length');
      const end = header + 4 + Number(length[1]);
      if (server.input.length < end) return;
      const answer = JSON.parse(server.input.toString('utf8', header + 4, end));
      server.input = server.input.subarray(end);
      const waiting = server.waiting.get(answer.id);
      server.waiting.delete(answer.id);
      if (!waiting) continue;
      if (answer.error) waiting.reject(new Error(answer.error.message));
      else waiting.resolve(answer.result);
    }
  }

  request(method, params) {
    const server = this.server ?? this.start();
    const id = this.next++;
    const body = Buffer.from(JSON.stringify({jsonrpc: '2.0', id, method, params}));
    return new Promise((resolve, reject) => {
      server.waiting.set(id, {resolve, reject});
      server.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
    });
  }

  dispose() {
    this.server?.process.stdin.end();  // which ends it
    this.server = null;
  }
}

module.exports = {Client};
