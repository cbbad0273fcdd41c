// A bridge in front of a service that counts, for scripts that need a configuration of their own.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TOKEN = 'operators-own-long-token';

/** One operation that needs a yes. */
const DOCUMENT = `openapi: 3.0.3
info: {title: Notes, version: '1'}
paths:
  /notes:
    post:
      operationId: addNote
      x-mcp: {confirm: true}
      parameters:
        - {name: X-Reason, in: header, schema: {type: string}}
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {'200': {description: ok}}
`;

/** A service that keeps what it was sent. */
export async function counting() {
  const bodies = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { bodies, base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/**
 * The command of a bridge, its files written; `{document}`, `{config}` and `{base}` in `serve` are filled in. Bridges
 * of one folder have the same files.
 */
export function prepare(serve, base, config, folder = mkdtempSync(join(tmpdir(), 'bridge-'))) {
  const files = { document: join(folder, 'notes.yaml'), config: join(folder, 'config.yaml') };
  writeFileSync(files.document, DOCUMENT);
  writeFileSync(files.config, config);
  const fill = (word) => word.replace('{document}', files.document).replace('{config}', files.config).replace('{base}', base);
  return { words: serve.map(fill), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A bridge over HTTP on a port of its own choice, once it is ready: its endpoint, and the operators' page if any. */
export function start(serve, base, config, folder) {
  const { words, remove } = prepare(serve, base, config, folder);
  const child = spawn(words[0], words.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((done, fail) => {
    let log = '';
    const late = setTimeout(() => fail(new Error(`the bridge did not start: ${log}`)), 20_000);
    child.on('exit', () => fail(new Error(`the bridge ended: ${log}`)));
    child.stderr.on('data', (part) => {
      log += part;
      const url = /listening on (http:\S+)/.exec(log)?.[1];
      if (!url || !log.includes('tools are ready')) return;
      clearTimeout(late);
      const page = /approval at (http:\S+)/.exec(log)?.[1];
      done({ url, page, stop: () => { child.kill(); remove(); } });
    });
  });
}

/** The operator, as a program. */
export function operator(page) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return {
    pending: async () => (await (await fetch(page, { headers })).json()).pending,
    decide: async (id, decision) => {
      const answer = await fetch(`${page}/${id}`, { method: 'POST', headers, body: JSON.stringify({ decision }) });
      if (answer.status !== 200) throw new Error(`the decision was answered with ${answer.status}`);
    },
  };
}

/** Runs checks, one line each. */
export function checks(label) {
  const run = async (what, body) => {
    try {
      await body();
      console.log(`ok    ${label}: ${what}`);
    } catch (error) {
      run.failures += 1;
      console.log(`FAIL  ${label}: ${what}: ${error?.message ?? error}`);
    }
  };
  run.failures = 0;
  return run;
}

export function must(value, what) {
  if (!value) throw new Error(`expected ${what}`);
}

export function is(found, expected, what) {
  if (found !== expected) throw new Error(`${what}: expected ${expected}, found ${found}`);
}
