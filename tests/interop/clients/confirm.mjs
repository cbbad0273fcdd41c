// Every way of confirming, driven by the official TypeScript SDKs in both eras, in front of a service that counts:
// nothing arrives before the yes, one request after it. One line per check.
//
//   node confirm.mjs --modules DIR (--serve COMMAND... | --stdio COMMAND...)
//
// DIR is where `npm ci` ran. COMMAND starts a bridge; {document}, {config} and {base} in it are filled in. Exit code 0
// when every check holds.

import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

import { TOKEN, checks, counting, is, must, operator, prepare, start } from '../bridge.mjs';
import { openV1, openV2 } from './peers.mjs';

const KEY = 'mcpinvoke/confirmation';
const flags = readFlags(process.argv.slice(2));
const load = createRequire(join(resolve(flags.modules), 'package.json'));
const PEERS = {
  'v1-2025-06-18': { open: (sdks) => openV1(sdks, 'sdk-2025-06-18') },
  v1: { open: (sdks) => openV1(sdks, '@modelcontextprotocol/sdk'), links: true },
  'v2-legacy': { open: (sdks) => openV2(sdks, 'legacy'), links: true },
  'v2-auto': { open: (sdks) => openV2(sdks, 'auto'), links: true },
};

const upstream = await counting();
let failures = 0;
for (const [settings, body] of [
  ['fallback: token', tokens],
  ['approvals: {token: %, wait: 5s, listen: "127.0.0.1:@"}', approvals],
]) {
  const port = await freePort();
  const config = `confirm: {${settings.replace('%', TOKEN).replace('@', port)}}\n`;
  await withBridge(config, `http://127.0.0.1:${port}/approvals`, body);
}
upstream.close();
console.log(failures === 0 ? 'all checks hold' : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);

/** Forms, and tokens where there are none. */
async function tokens(check, peer, note) {
  for (const [answer, arrives] of [['decline', 0], ['accept', 1]]) {
    await check(`a form: ${answer}`, async () => {
      let before;
      const session = await peer.open(async (request) => {
        before = upstream.bodies.length;
        must(request.params.message.includes('/notes'), 'the call in the question');
        return answer === 'accept' ? { action: 'accept', content: {} } : { action: 'decline' };
      });
      const count = upstream.bodies.length;
      const result = await session.call('addNote', note()).finally(() => session.close());
      is(before, count, 'requests before the answer');
      is(upstream.bodies.length, count + arrives, 'requests after it');
      is(Boolean(result.isError), arrives === 0, 'isError');
    });
  }
  await check('a token works once', async () => {
    const session = await peer.open(undefined);
    try {
      const [count, args] = [upstream.bodies.length, note()];
      const told = await session.call('addNote', args);
      is(told.structuredContent.status, 'confirmation_required', 'status');
      is(upstream.bodies.length, count, 'requests before the yes');
      const meta = { [KEY]: told.structuredContent.token };
      must(!(await session.call('addNote', args, meta)).isError, 'a success');
      is((await rejection(session.call('addNote', args, meta))).code, -32602, 'code of the replay');
      is(upstream.bodies.length, count + 1, 'requests');
    } finally {
      await session.close();
    }
  });
}

/** An operator decides; forms stay the user's. */
async function approvals(check, peer, note, page) {
  const olga = operator(page);
  await check('waits for the operator when it is told to come again', async () => {
    const session = await peer.open(undefined);
    try {
      const [count, args] = [upstream.bodies.length, note()];
      const told = await session.call('addNote', args);
      is(told.structuredContent.status, 'approval_pending', 'status');
      is(told._meta[KEY], told.structuredContent.token, 'the token in _meta');
      const waiting = session.call('addNote', args);
      is(upstream.bodies.length, count, 'requests before the yes');
      await olga.decide((await olga.pending())[0].id, 'approve');
      must(!(await waiting).isError, 'a success');
      is(upstream.bodies.length, count + 1, 'requests after it');
    } finally {
      await session.close();
    }
  });
  if (!peer.links) return;
  for (const [decision, arrives] of [['deny', 0], ['approve', 1]]) {
    await check(`opens the operators' page: ${decision}`, async () => {
      let before;
      const onElicit = async ({ params }) => {
        is(params.mode, 'url', 'mode');
        before = upstream.bodies.length;
        must(params.url.startsWith(page), `the page in ${params.url}`);
        setTimeout(() => olga.decide(params.url.split('/').pop(), decision).catch((error) => console.log(error)), 100);
        return { action: 'accept' };
      };
      const session = await peer.open(onElicit, { url: {} });
      const count = upstream.bodies.length;
      const result = await session.call('addNote', note()).finally(() => session.close());
      is(before, count, 'requests before the decision');
      is(upstream.bodies.length, count + arrives, 'requests after it');
      is(Boolean(result.isError), arrives === 0, 'isError');
    });
  }
}

async function withBridge(config, page, body) {
  let number = 0;
  const note = () => ({ body: { text: `note ${(number += 1)}` } });
  const bridge = flags.serve && (await start(flags.serve, upstream.base, config));
  for (const [name, peer] of Object.entries(PEERS)) {
    const prepared = flags.stdio && prepare(flags.stdio, upstream.base, config);
    const sdks = { load, flags: bridge ? { url: bridge.url } : { stdio: prepared.words } };
    const check = checks(`${name} ${bridge ? 'http' : 'stdio'}`);
    await body(check, { ...peer, open: peer.open(sdks) }, note, page);
    failures += check.failures;
    prepared?.remove();
  }
  bridge?.stop();
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function rejection(promise) {
  const result = await promise.catch((error) => error);
  if (!(result instanceof Error)) throw new Error(`expected an error, got ${JSON.stringify(result).slice(0, 200)}`);
  return result;
}

function readFlags(args) {
  const found = { modules: '.' };
  while (args.length > 0) {
    const flag = args.shift();
    if (flag === '--serve' || flag === '--stdio') found[flag.slice(2)] = args.splice(0);
    else if (flag === '--modules') found.modules = args.shift();
    else usage();
  }
  if (Boolean(found.serve?.length) === Boolean(found.stdio?.length)) usage();
  return found;
}

function usage() {
  console.error('usage: confirm.mjs --modules DIR (--serve COMMAND... | --stdio COMMAND...)');
  process.exit(2);
}
