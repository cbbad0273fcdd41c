// A real issuer of access tokens (oidc-provider) and the official SDK's client with its own OAuth code, around
// one bridge: discovery, tokens, step-up, and tokens of that same issuer that are not for the bridge.
//
//   node issuer.mjs [--modules DIR] --binary MCPINVOKE
//
// DIR is where `npm ci` ran. Everything listens on the loopback only and ends with this process. Exit code 0
// when every check holds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const flags = { modules: 'target/interop' };
for (let at = 2; at < process.argv.length; at += 2) flags[process.argv[at].slice(2)] = process.argv[at + 1];
const modules = createRequire(join(resolve(flags.modules), 'package.json'));
const { default: Provider } = await import(pathToFileURL(modules.resolve('oidc-provider')));
const { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } = modules('@modelcontextprotocol/client');

const SECRET = 'a-secret-of-the-tests-alone-0123456789';
const DOCUMENT = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /orders:
    get: {operationId: listOrders, security: [{oauth: [read]}], responses: {'200': {description: ok}}}
    post: {operationId: createOrder, security: [{oauth: [read, write]}], responses: {'200': {description: ok}}}
  /status:
    get: {operationId: status, responses: {'200': {description: ok}}}
components:
  securitySchemes:
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'http://127.0.0.1/unused', scopes: {read: r, write: w}}}}
`;

let failures = 0;
const closing = [];
try {
  await main();
} catch (error) {
  failures += 1;
  console.log(`FAIL  issuer: ${error?.stack ?? error}`);
} finally {
  for (const close of closing.reverse()) await close();
}
console.log(failures === 0 ? 'all checks hold' : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);

async function main() {
  const seen = [];
  const upstream = await listen((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const issuer = await startIssuer(resource);
  await startBridge({ port, upstream, issuer, resource });

  await check('a stranger is sent to the issuer', async () => {
    const { status, challenge } = await post(resource);
    assert.equal(status, 401);
    const place = /resource_metadata="([^"]+)"/.exec(challenge)[1];
    const metadata = await (await fetch(place)).json();
    assert.deepEqual(metadata, {
      resource, authorization_servers: [issuer], bearer_methods_supported: ['header'], scopes_supported: ['read'],
    });
  });
  for (const mode of ['legacy', 'auto']) {
    await check(`the SDK's client finds its way and asks for more when told to (${mode})`, async () => {
      const authProvider = new ClientCredentialsProvider({ clientId: 'tests', clientSecret: SECRET, expectedIssuer: issuer });
      const client = new Client({ name: 'interop', version: '2' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider }), { timeout: 15_000 });
      const scope = async () => (await authProvider.tokens()).scope;
      assert.equal(await scope(), 'read');
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), ['listOrders', 'createOrder', 'status']);
      assert.ok(!(await client.callTool({ name: 'listOrders', arguments: {} })).isError);
      assert.equal(await scope(), 'read');
      assert.ok(!(await client.callTool({ name: 'createOrder', arguments: {} })).isError);
      assert.equal(await scope(), 'read write');
      await client.close();
    });
  }
  await check('tokens of either key of the issuer are taken, with their scopes', async () => {
    for (const algorithm of ['RS256', 'ES256']) {
      const token = await askFor(issuer, { resource: `${resource}?alg=${algorithm}`, scope: 'read' });
      assert.equal(JSON.parse(Buffer.from(token.split('.')[0], 'base64url')).alg, algorithm);
      assert.equal((await post(resource, token, 'listOrders')).status, 200);
      const refused = await post(resource, token, 'createOrder');
      assert.equal(refused.status, 403);
      assert.match(refused.challenge, /error="insufficient_scope", scope="read write", resource_metadata="/);
    }
  });
  await check('a token for another resource is not taken', async () => {
    const { status, challenge } = await post(resource, await askFor(issuer, { resource: 'https://other.example.com/mcp', scope: 'read' }));
    assert.equal(status, 401);
    assert.match(challenge, /error="invalid_token"/);
  });
  await check('a token that has ended is not taken', async () => {
    const token = await askFor(issuer, { resource: `${resource}?ttl=1`, scope: 'read' });
    assert.equal((await post(resource, token)).status, 200);
    await new Promise((done) => setTimeout(done, 3000));
    assert.equal((await post(resource, token)).status, 401);
  });
  await check('a token that says nothing itself is not taken', async () => {
    const opaque = await askFor(issuer, { scope: 'read' });
    assert.equal(opaque.split('.').length, 1);
    assert.equal((await post(resource, opaque)).status, 401);
  });
  await check('no token reached the service behind', async () => {
    assert.ok(seen.length > 0);
    assert.ok(seen.every((headers) => headers.authorization === undefined));
  });
}

async function check(what, body) {
  try {
    await body();
    console.log(`ok    issuer: ${what}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  issuer: ${what}: ${error?.stack ?? error}`);
  }
}

/** The bridge's address names the audience; a query on it names how the token is made, and is left out of it. */
async function startIssuer(resource) {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const jwk = (kind, options, alg) => ({ ...generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: alg });
  const provider = new Provider(issuer, {
    clients: [{
      client_id: 'tests', client_secret: SECRET, grant_types: ['client_credentials'], redirect_uris: [], response_types: [], scope: 'read write',
    }],
    scopes: ['read', 'write'],
    jwks: { keys: [jwk('rsa', { modulusLength: 2048 }, 'RS256'), jwk('ec', { namedCurve: 'P-256' }, 'ES256')] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: (_, asked) => {
          const url = new URL(asked);
          const { alg = 'RS256', ttl = '600' } = Object.fromEntries(url.searchParams);
          return {
            scope: 'read write', audience: asked.startsWith(resource) ? resource : asked, accessTokenTTL: Number(ttl),
            accessTokenFormat: 'jwt', jwt: { sign: { alg } },
          };
        },
      },
    },
  });
  await listen(provider.callback(), new URL(issuer).port);
  return issuer;
}

async function startBridge({ port, upstream, issuer, resource }) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpinvoke-issuer-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const [document, configuration] = ['document.yaml', 'configuration.yaml'].map((name) => join(folder, name));
  writeFileSync(document, DOCUMENT);
  writeFileSync(configuration, `access:
  oauth:
    resource: ${resource}
    leeway: 0s
    issuers: [{issuer: '${issuer}'}]
    scopes: {initial: [read], list: all}
`);
  const arguments_ = ['serve', document, '--config', configuration, '--base-url', upstream, '--listen', `127.0.0.1:${port}`];
  const child = spawn(resolve(flags.binary), arguments_, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => { log += chunk; });
  closing.push(async () => {
    if (failures > 0) console.log(log);
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  });
  for (let tries = 0; tries < 150; tries += 1) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then((answer) => answer.ok, () => false);
    if (ready) return;
    assert.equal(child.exitCode, null, log);
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`the bridge is not ready: ${log}`);
}

/** A token for a client that acts for itself. */
async function askFor(issuer, members) {
  const { token_endpoint: place } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const answer = await fetch(place, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`tests:${SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...members }),
  });
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body.access_token;
}

/** A list of tools, or a call of one. */
async function post(url, token, tool) {
  const message = tool
    ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } }
    : { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text: await answer.text() };
}

async function listen(handler, port = 0) {
  const server = createServer(handler).listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
