// The operators' page in a real browser, with scripts switched off: what is listed, what is inert, what a decision
// comes to. One line per check.
//
//   node browser.mjs --modules DIR --browser CHROMIUM --serve COMMAND...
//
// DIR is where `npm ci` ran. COMMAND starts a bridge; {config} and {document} in it are filled in. Exit code 0 when
// every check holds.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import { TOKEN, checks, counting, is, must, start } from './bridge.mjs';

const HOSTILE = '<script>document.title="owned"</script><img src=x onerror="document.title=1">\u001b[2J\u202eevil\u2066';
const flags = readFlags(process.argv.slice(2));
const { chromium } = createRequire(join(resolve(flags.modules), 'package.json'))('playwright-core');
const check = checks('browser');
const upstream = await counting();
let bridge;
let browser;
try {
  await run();
} catch (error) {
  check.failures += 1;
  console.log(`FAIL  the run: ${error?.stack ?? error}`);
} finally {
  await browser?.close();
  bridge?.stop();
  upstream.close();
}
console.log(check.failures === 0 ? 'all checks hold' : `${check.failures} checks failed`);
process.exit(check.failures === 0 ? 0 : 1);

async function run() {
  bridge = await start(flags.serve, upstream.base, `confirm: {approvals: {token: ${TOKEN}, name: olga, wait: 1s}}\n`);
  browser = await chromium.launch({ executablePath: flags.browser, headless: true, args: ['--no-sandbox'] });
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  const note = (text, reason) => call('addNote', { body: { text }, ...(reason && { 'X-Reason': reason }) });

  await check('asks who it is before it shows anything', async () => {
    is((await note(HOSTILE, 'spring')).structuredContent.status, 'approval_pending', 'status');
    const response = await page.goto(bridge.page);
    is(response.status(), 401, 'status');
    must(!(await page.content()).includes('addNote'), 'nothing of the call');
    await page.fill('#token', 'not the token');
    await page.click('text=Sign in');
    must((await page.textContent('main')).includes('not known'), 'a refusal');
    await page.fill('#token', TOKEN);
    await page.click('text=Sign in');
    is(page.url(), bridge.page, 'address');
  });
  await check('shows who asks, what would be sent and until when', async () => {
    const text = await page.textContent('article');
    for (const part of ['anonymous', 'addNote', 'POST', '/notes', 'spring', 'Expires in']) must(text.includes(part), `${part} in ${text}`);
    must((await page.title()).includes('(1)'), 'the number of calls in the title');
  });
  await check('keeps what callers say inert', async () => {
    is(await page.locator('article script, article img').count(), 0, 'elements made of arguments');
    const text = await page.textContent('article');
    must(text.includes('<script>') && text.includes('onerror'), `the markup as text in ${text}`);
    for (const mark of ['\u001b', '\u202e', '\u2066']) must(!text.includes(mark), 'no control characters');
    must(requests.every((url) => url.startsWith(bridge.page)), `no other request in ${requests}`);
  });
  await check('sends nothing before the yes, and nothing for the yes alone', async () => {
    is((await note(HOSTILE, 'spring')).structuredContent.status, 'approval_pending', 'status when made again');
    is(upstream.bodies.length, 0, 'requests upstream');
    await page.goto(`${bridge.page}`);
    is(upstream.bodies.length, 0, 'requests after looking');
    await page.click('button:has-text("Approve")');
    must((await page.textContent('[role=status]')).includes('Approved'), 'a word about it');
    is(upstream.bodies.length, 0, 'requests after the yes');
  });
  await check('makes the approved call once', async () => {
    const done = await note(HOSTILE, 'spring');
    is(done.isError, false, 'isError');
    is(upstream.bodies.length, 1, 'requests upstream');
    is(JSON.parse(upstream.bodies[0]).text, HOSTILE, 'the text as the caller wrote it');
    const again = await note(HOSTILE, 'spring');
    is(again.structuredContent.status, 'approval_pending', 'status when made a third time');
    is(upstream.bodies.length, 1, 'requests upstream in the end');
  });
  await check('makes no denied call', async () => {
    await page.goto(bridge.page);
    await page.click('button:has-text("Deny")');
    const told = await note(HOSTILE, 'spring');
    must(told.isError && told.content[0].text.includes('denied'), `a refusal in ${told.content[0].text}`);
    is(upstream.bodies.length, 1, 'requests upstream');
    const history = await page.textContent('table');
    must(history.includes('Denied by') && history.includes('olga'), `the decision in ${history}`);
    must(history.includes('and called'), `the call in ${history}`);
  });
  await check('opens one call by its own address', async () => {
    const told = await note('one more');
    await page.goto(told.structuredContent.url);
    is(await page.locator('article').count(), 1, 'calls on the page');
    await page.click('button:has-text("Deny")');
    is(new URL(page.url()).pathname, '/approvals', 'where it leads');
  });
  await check('takes no decision from another page', async () => {
    const told = await note('forged');
    const other = await context.newPage();
    const form = `<form method=post action="${told.structuredContent.url}"><input name=decision value=approve><button>go</button></form>`;
    await other.setContent(form);
    await other.click('button');
    await other.waitForLoadState();
    is((await note('forged')).structuredContent.status, 'approval_pending', 'status');
    const framed = await context.newPage();
    await framed.setContent(`<iframe src="${bridge.page}"></iframe>`);
    await framed.waitForTimeout(500);
    const inner = framed.frames().find((frame) => frame !== framed.mainFrame());
    must(!(await inner.content()).includes('addNote'), 'nothing in a frame');
    is(upstream.bodies.length, 1, 'requests upstream');
  });
  await check('signs out', async () => {
    await page.goto(bridge.page);
    await page.click('text=Sign out');
    must(await page.locator('#token').count(), 'the form to sign in');
    is((await page.goto(bridge.page)).status(), 401, 'status');
  });
  if (flags.pictures) {
    await page.fill('#token', TOKEN);
    await page.click('text=Sign in');
    await page.screenshot({ path: flags.pictures, fullPage: true });
  }
}

async function call(name, args) {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const params = { name, arguments: args, _meta: meta };
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answer = await (await fetch(bridge.url, { method: 'POST', headers, body })).json();
  if (!answer.result) throw new Error(JSON.stringify(answer));
  return answer.result;
}

function readFlags(args) {
  const found = { modules: '.' };
  while (args.length > 0) {
    const flag = args.shift();
    if (flag === '--serve') found.serve = args.splice(0);
    else if (['--modules', '--browser', '--pictures'].includes(flag)) found[flag.slice(2)] = args.shift();
    else usage();
  }
  if (!found.serve?.length || !found.browser) usage();
  return found;
}

function usage() {
  console.error('usage: browser.mjs --modules DIR --browser CHROMIUM [--pictures FILE] --serve COMMAND...');
  process.exit(2);
}
