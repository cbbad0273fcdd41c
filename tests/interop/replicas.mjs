// Two bridges with one signing key behind nginx, which hands requests out in turn: each goes on with what the other
// began. Nothing here is shared but the key. One line per check.
//
//   node replicas.mjs --modules DIR --nginx NGINX --serve COMMAND...
//
// DIR is where `npm ci` ran. COMMAND starts a bridge; {document}, {config} and {base} in it are filled in. Exit code 0
// when every check holds.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { checks, counting, is, must, start } from './bridge.mjs';
import { openV2 } from './clients/peers.mjs';

const flags = readFlags(process.argv.slice(2));
const load = createRequire(join(resolve(flags.modules), 'package.json'));
const check = checks('replicas');
const upstream = await counting();
const folder = mkdtempSync(join(tmpdir(), 'replicas-'));
const bridges = [];
let nginx;
try {
  await run();
} catch (error) {
  check.failures += 1;
  console.log(`FAIL  the run: ${error?.stack ?? error}`);
} finally {
  nginx?.kill();
  for (const bridge of bridges) bridge.stop();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(check.failures === 0 ? 'all checks hold' : `${check.failures} checks failed`);
process.exit(check.failures === 0 ? 0 : 1);

async function run() {
  const key = join(folder, 'key');
  writeFileSync(key, 'k'.repeat(40));
  for (let count = 0; count < 2; count += 1) {
    bridges.push(await start(flags.serve, upstream.base, `confirm: {key_file: '${key}'}\n`, folder));
  }
  const url = await balance(bridges.map((bridge) => new URL(bridge.url).host));
  let number = 0;
  const note = () => ({ body: { text: `note ${(number += 1)}` } });

  await check('lists the same on both', async () => {
    const lists = [await send(url, 'tools/list'), await send(url, 'tools/list')];
    must(lists[0].replica !== lists[1].replica, 'two different replicas');
    is(lists[0].text, lists[1].text, 'the second list');
  });
  await check('finishes on one what began on the other, by a state', async () => {
    const [count, args] = [upstream.bodies.length, note()];
    const forms = { elicitation: {} };
    const asked = await send(url, 'tools/call', { name: 'addNote', arguments: args }, forms);
    is(asked.result.resultType, 'input_required', 'resultType');
    is(upstream.bodies.length, count, 'requests before the yes');
    const inputResponses = { confirm: { action: 'accept', content: {} } };
    const { requestState } = asked.result;
    const done = await send(url, 'tools/call', { name: 'addNote', arguments: args, inputResponses, requestState }, forms);
    must(done.replica !== asked.replica, 'two different replicas');
    is(done.result.isError, false, 'isError');
    is(upstream.bodies.length, count + 1, 'requests after it');
  });
  await check('finishes on one what began on the other, by a token', async () => {
    const [count, args] = [upstream.bodies.length, note()];
    const told = await send(url, 'tools/call', { name: 'addNote', arguments: args });
    const _meta = { 'mcpinvoke/confirmation': told.result.structuredContent.token };
    const done = await send(url, 'tools/call', { name: 'addNote', arguments: args, _meta });
    must(done.replica !== told.replica, 'two different replicas');
    is(done.result.isError, false, 'isError');
    is(upstream.bodies.length, count + 1, 'requests');
    // Each replica remembers what it took itself: a replay passes on the other one, once.
    let passed = 0;
    for (let turn = 0; turn < 4; turn += 1) {
      const replay = await send(url, 'tools/call', { name: 'addNote', arguments: args, _meta });
      passed += replay.result?.isError === false ? 1 : 0;
    }
    is(passed, 1, 'replays that passed');
  });
  await check('serves the official SDK, forms included', async () => {
    const count = upstream.bodies.length;
    const open = openV2({ load, flags: { url } }, 'auto');
    const session = await open(async () => ({ action: 'accept', content: {} }));
    try {
      is(session.revision(), '2026-07-28', 'revision');
      for (let turn = 0; turn < 5; turn += 1) {
        const result = await session.call('addNote', note());
        must(!result.isError, `a success instead of ${JSON.stringify(result)}`);
      }
      is(upstream.bodies.length, count + 5, 'requests');
    } finally {
      await session.close();
    }
  });
}

async function send(url, method, params = {}, capabilities = {}) {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  if (params.name) headers['mcp-name'] = params.name;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta, ...params._meta } } });
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  return { ...JSON.parse(text), text, replica: response.headers.get('x-replica') };
}

/** nginx on a free port in front of these; the endpoint's address. */
async function balance(hosts) {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  writeFileSync(config, `
    worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log stderr;
    events { worker_connections 256; }
    http {
      access_log off; ${temporary.join(' ')}
      upstream bridges { ${hosts.map((host) => `server ${host};`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://bridges; proxy_http_version 1.1; proxy_buffering off;
          proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1;
          add_header x-replica $upstream_addr always;
        }
      }
    }`);
  nginx = spawn(flags.nginx, ['-p', folder, '-e', 'stderr', '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let turn = 0; turn < 100; turn += 1) {
    if (await listens(port)) return `http://127.0.0.1:${port}/mcp`;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('nginx does not listen');
}

function listens(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => { socket.destroy(); done(true); });
    socket.on('error', () => done(false));
  });
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function readFlags(args) {
  const found = { modules: '.' };
  while (args.length > 0) {
    const flag = args.shift();
    if (flag === '--serve') found.serve = args.splice(0);
    else if (['--modules', '--nginx'].includes(flag)) found[flag.slice(2)] = args.shift();
    else usage();
  }
  if (!found.serve?.length || !found.nginx) usage();
  return found;
}

function usage() {
  console.error('usage: replicas.mjs --modules DIR --nginx NGINX --serve COMMAND...');
  process.exit(2);
}
