// server.mjs - the YAML language server of editors over pipes: what it says of files, and which words it offers.
//   node server.mjs FOLDER OF node_modules, SCHEMA, FILE...
// A file prints a line: its name, how many complaints, the first of them with its line. FILE@LINE:COLUMN prints the words that are
// offered there.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [, , modules, schema, ...files] = process.argv;
const server = spawn(process.execPath, [resolve(modules, 'yaml-language-server/bin/yaml-language-server'), '--stdio'],
                     { stdio: ['pipe', 'pipe', 'ignore'] });
const answers = new Map(), complaints = new Map();
let rest = Buffer.alloc(0), last = 0;

const send = (message) => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};
const ask = (method, params) => new Promise((done) => {
  answers.set(++last, done);
  send({ id: last, method, params });
});
const settings = { schemas: { [`file://${resolve(schema)}`]: ['*.yaml'] }, validate: true, completion: true,
                   schemaStore: { enable: false } };

function handle(message) {
  if (message.method === 'workspace/configuration')
    send({ id: message.id, result: message.params.items.map((i) => (i.section === 'yaml' ? settings : null)) });
  else if (message.method === 'textDocument/publishDiagnostics')
    complaints.get(message.params.uri)?.(message.params.diagnostics);
  else if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
  else if (answers.has(message.id)) answers.get(message.id)(message.result);
}

server.stdout.on('data', (part) => {
  rest = Buffer.concat([rest, part]);
  for (let end; (end = rest.indexOf('\r\n\r\n')) >= 0;) {
    const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end))[1]);
    if (rest.length < end + 4 + length) return;
    handle(JSON.parse(rest.subarray(end + 4, end + 4 + length)));
    rest = rest.subarray(end + 4 + length);
  }
});

await ask('initialize', { processId: process.pid, rootUri: null, workspaceFolders: null,
                          capabilities: { workspace: { configuration: true }, textDocument: { publishDiagnostics: {} } } });
send({ method: 'initialized', params: {} });
for (const argument of files) {
  const [file, line, column] = argument.split(/[@:]/);
  const uri = `file://${resolve(file)}`;
  const text = readFileSync(file, 'utf8').replace(/^# yaml-language-server:/m, '# of another folder:');
  const said = new Promise((done) => complaints.set(uri, done));
  send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } });
  const list = await said;
  if (line) {
    const offered = await ask('textDocument/completion', { textDocument: { uri }, position: { line: line - 1, character: column - 1 } });
    console.log(file, offered.items.map((i) => i.label).join(' '));
  } else {
    console.log(file, list.length, list.map((c) => `${c.range.start.line + 1}: ${c.message}`).join('; ').replace(/\n/g, ' '));
  }
  send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
}
server.kill();
process.exit(0);
