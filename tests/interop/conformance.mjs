// Runs the official conformance suite against one bridge and prints a table.
//
//   node conformance.mjs --url URL [--modules DIR] [--out DIR] [--only REVISION] [--timeout MS]
//
// Exit code 0 when every scenario did what expected-failures-REVISION.yml says: whatever is not in
// there passes, whatever is in there fails. DIR is where `npm ci` ran (default: this folder).

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));

// A whole run takes seconds; a bridge that hangs in every scenario must still end.
const RUN_LIMIT_MS = 240_000;

// Scenarios outside the frozen requirement sets that the bridge is held to all the same.
const REVISIONS = {
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
  '2025-11-25': ['json-schema-2020-12', 'server-session-lifecycle'],
};

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    modules: { type: 'string', default: HERE },
    out: { type: 'string', default: join(HERE, '..', '..', 'target', 'interop', 'conformance') },
    only: { type: 'string' },
    timeout: { type: 'string', default: '15000' },
  },
});
if (!flags.url || (flags.only && !REVISIONS[flags.only])) {
  console.error('usage: conformance.mjs --url URL [--modules DIR] [--out DIR] [--only REVISION] [--timeout MS]');
  process.exit(2);
}

let failed = 0;
for (const revision of Object.keys(REVISIONS)) {
  if (!flags.only || flags.only === revision) failed += await checkRevision(revision);
}
process.exit(failed === 0 ? 0 : 1);

/** Runs one revision's scenarios; answers how many surprises there were. */
async function checkRevision(revision) {
  const out = join(resolve(flags.out), revision);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const baseline = join(HERE, `expected-failures-${revision}.yml`);
  const expected = readBaseline(baseline);
  const common = ['--url', flags.url, '--timeout', flags.timeout, '--expected-failures', baseline, '-o'];

  const runs = [await suite(['--requirements', revision, ...common, join(out, 'required')])];
  const extras = REVISIONS[revision];
  for (const scenario of extras) {
    runs.push(await suite(['--scenario', scenario, '--spec-version', revision, ...common, join(out, 'extra')]));
  }

  const required = readResults(join(out, 'required'));
  const extra = readResults(join(out, 'extra'));
  const scored = requirements(revision);
  const rows = [
    ...scored.map((name) => row(name, 'required', required.get(name), expected)),
    ...extras.map((name) => row(name, 'extra', extra.get(name), expected)),
    // Neither required nor claimed: shown, never judged.
    ...[...required.keys()]
      .filter((name) => !scored.includes(name) && !extras.includes(name))
      .map((name) => row(name, 'not judged', required.get(name), expected)),
  ];
  printTable(revision, rows);

  const judged = rows.filter((r) => r.kind !== 'not judged');
  const bad = judged.filter((r) => !r.fine);
  const unknown = [...expected.keys()].filter((entry) => !judged.some((r) => r.name === entry.split(':')[0]));
  for (const r of bad) console.log(`UNEXPECTED ${revision} ${r.name}: ${r.result}; ${r.note}`);
  for (const entry of unknown) console.log(`STALE ${revision} ${entry}: no scenario that is judged has this name`);
  // The suite judges as well, by the same file; where it sees more than this script, believe it.
  const suiteFailed = runs.filter((run) => run.code !== 0);
  if (suiteFailed.length > 0 && bad.length === 0) {
    for (const run of suiteFailed) console.log(`SUITE FAILED ${run.title} (exit ${run.code})\n${tail(run.text)}`);
  }
  const passed = judged.filter((r) => r.result === 'pass' && r.kind === 'required').length;
  console.log(`${revision}: ${passed} of ${scored.length} required scenarios pass, ${bad.length + unknown.length} surprises\n`);
  return bad.length + unknown.length + (bad.length === 0 ? suiteFailed.length : 0);
}

/** Runs the suite once; never rejects. */
function suite(args) {
  const script = join(resolve(flags.modules), 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  if (!existsSync(script)) {
    console.error(`the suite is not installed at ${script}: run "npm ci" there, or see run.sh`);
    process.exit(2);
  }
  return new Promise((done) => {
    const child = spawn(process.execPath, [script, 'server', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const limit = setTimeout(() => child.kill('SIGKILL'), RUN_LIMIT_MS);
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      done({ title: args.slice(0, 2).join(' '), code: code ?? signal, text });
    });
  });
}

/** The scenarios the revision's frozen list requires of a server. */
function requirements(revision) {
  const file = join(resolve(flags.modules), `node_modules/@modelcontextprotocol/conformance/requirements/${revision}.yaml`);
  const names = [];
  let inside = false;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (/^\S/.test(line)) inside = line.startsWith('server:');
    else if (inside && /^\s+- /.test(line)) names.push(line.trim().slice(2));
  }
  return names;
}

/** Entry (`scenario` or `scenario:check`) to its comment; every entry must have one. */
function readBaseline(file) {
  const entries = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const found = /^\s+- (\S+)(?:\s+# (.+))?$/.exec(line);
    if (!found) continue;
    if (!found[2]) {
      console.error(`${file}: "${found[1]}" needs a reason, as a comment on its line`);
      process.exit(2);
    }
    entries.set(found[1], found[2]);
  }
  return entries;
}

/** Scenario to its checks, from the folders the suite leaves behind. */
function readResults(folder) {
  const results = new Map();
  if (!existsSync(folder)) return results;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name, 'checks.json');
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    if (existsSync(file)) results.set(scenario, JSON.parse(readFileSync(file, 'utf8')));
  }
  return results;
}

/** What one scenario did, and whether that is what the baseline says. */
function row(name, kind, checks, expected) {
  if (!checks) return { name, kind, result: 'did not run', note: 'no result was written', fine: false };
  const failures = checks.filter((c) => c.status === 'FAILURE' || c.status === 'WARNING');
  const succeeded = checks.filter((c) => c.status === 'SUCCESS').length;
  const note = [...new Set(failures.map((c) => c.id))].join(' ');
  if (expected.has(name)) {
    return failures.length > 0
      ? { name, kind, result: 'expected failure', note: expected.get(name), fine: true }
      : { name, kind, result: 'pass', note: 'the baseline says it fails: take it out', fine: false };
  }
  const surprises = failures.filter((c) => !expected.has(`${name}:${c.id}`));
  const stale = checks.filter((c) => c.status === 'SUCCESS' && expected.has(`${name}:${c.id}`)
    && !failures.some((f) => f.id === c.id));
  if (stale.length > 0) {
    return { name, kind, result: 'pass', note: `the baseline says ${stale.map((c) => c.id)} fails: take it out`, fine: false };
  }
  if (surprises.length > 0) {
    const messages = surprises.map((c) => `${c.id}: ${c.errorMessage ?? c.status}`).join('; ');
    const result = surprises.some((c) => c.status === 'FAILURE') ? 'FAIL' : 'WARNING';
    return { name, kind, result, note: messages, fine: false };
  }
  if (failures.length > 0) return { name, kind, result: 'pass but for', note, fine: true };
  return { name, kind, result: 'pass', note: `${succeeded} checks`, fine: true };
}

function printTable(revision, rows) {
  console.log(`\n## Conformance with ${revision}\n`);
  console.log('| scenario | | result | |\n|---|---|---|---|');
  for (const r of rows) console.log(`| ${r.name} | ${r.kind} | ${r.result} | ${r.note.slice(0, 160).replaceAll('|', '/').replaceAll('\n', ' ')} |`);
  console.log('');
}

function tail(text) {
  return text.trimEnd().split('\n').slice(-25).join('\n');
}
