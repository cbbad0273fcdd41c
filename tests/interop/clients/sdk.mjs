// The official TypeScript SDKs as clients of the pet store, one line per check.
//
//   node sdk.mjs [--modules DIR] [--only PEER] [--without GROUP,...] --url URL
//   node sdk.mjs [--modules DIR] [--only PEER] [--without GROUP,...] --stdio COMMAND ARGUMENT...
//
// DIR is where `npm ci` ran. PEER is a key of PEERS below. GROUP is confirm, upload or
// stripping.
// Exit code 0 when every check of every peer holds.

import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import { openV1, openV2 } from './peers.mjs';

const OPERATIONS = [
  'listPets', 'createPet', 'searchPets', 'getPet', 'replacePet', 'updatePet', 'deletePet', 'uploadPetPhoto',
  'getPetPhoto', 'listCategories', 'createCategory', 'getInventory', 'placeOrder', 'getOrder', 'cancelOrder',
];
const PNG = 'iVBORw0KGgo';

// The SDKs' validator says of each format it does not know that it does not know it.
console.warn = () => {};

const flags = readFlags(process.argv.slice(2));
const sdks = { flags, load: createRequire(join(resolve(flags.modules), 'package.json')) };

// Each SDK line in each era it speaks, with the revision it must end up with.
const PEERS = {
  'v1-2025-03-26': { open: openV1(sdks, 'sdk-2025-03-26'), revision: '2025-03-26' },
  'v1-2025-06-18': { open: openV1(sdks, 'sdk-2025-06-18'), revision: '2025-06-18' },
  // This version drops what it does not know from schemas, `$defs` among it, and then refuses the
  // whole list because of an output schema's reference that leads nowhere.
  'v1-stripping': { open: openV1(sdks, 'sdk-stripping'), revision: '2025-06-18', group: 'stripping' },
  v1: { open: openV1(sdks, '@modelcontextprotocol/sdk'), revision: '2025-11-25' },
  'v2-legacy': { open: openV2(sdks, 'legacy'), revision: '2025-11-25', era: 'legacy' },
  'v2-auto': { open: openV2(sdks, 'auto'), revision: '2026-07-28', era: 'modern' },
  'v2-pinned': { open: openV2(sdks, { pin: '2026-07-28' }), revision: '2026-07-28', era: 'modern' },
};

let failures = 0;
for (const [name, peer] of Object.entries(PEERS)) {
  if (flags.without.includes(peer.group)) continue;
  if (!flags.only || flags.only === name) await runPeer(name, peer);
}
console.log(failures === 0 ? 'all checks hold' : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);

async function runPeer(name, peer) {
  const label = `${name} ${flags.url ? 'http' : 'stdio'}`;
  const check = async (what, body) => {
    try {
      await body();
      console.log(`ok    ${label}: ${what}`);
    } catch (error) {
      failures += 1;
      console.log(`FAIL  ${label}: ${what}: ${error?.message ?? error}`);
    }
  };
  let answer = 'accept';
  let asked = 0;
  const onElicit = async () => {
    asked += 1;
    return answer === 'accept' ? { action: 'accept', content: {} } : { action: 'decline' };
  };
  let session;
  await check('connects', async () => (session = await peer.open(onElicit)));
  if (!session) return;
  try {
    await checkHandshake(check, session, peer);
    await checkListing(check, session, peer);
    await checkReading(check, session, peer);
    await checkFaults(check, session, peer);
    await checkWriting(check, session);
    if (!flags.without.includes('upload')) await checkUpload(check, session);
    if (!flags.without.includes('confirm') && peer.revision >= '2025-06-18') {
      await checkConfirmation(check, session, {
        asked: () => asked,
        answer: (value) => { answer = value; asked = 0; },
      });
    }
  } finally {
    await check('closes', () => session.close());
  }
  if (flags.without.includes('confirm')) return;
  await check('is told to confirm where it cannot be asked', async () => {
    const silent = await peer.open(undefined);
    try {
      const result = await silent.call('cancelOrder', { orderId: '00000000-0000-4000-8000-000000000001' });
      is(result.isError, true, 'isError');
      if (peer.revision >= '2025-06-18') is(result.structuredContent?.status, 'confirmation_required', 'status');
    } finally {
      await silent.close();
    }
  });
}

async function checkHandshake(check, session, peer) {
  await check(`negotiates ${peer.revision}`, () => is(session.revision(), peer.revision, 'revision'));
  if (peer.era) await check(`is in the ${peer.era} era`, () => is(session.era(), peer.era, 'era'));
  await check('is told who the server is', () => must(session.server()?.name, 'serverInfo.name'));
  await check('hears of tools', () => must(session.capabilities()?.tools, 'capabilities.tools'));
}

async function checkListing(check, session, peer) {
  let tools = [];
  await check('lists every page', async () => {
    tools = await session.list();
    const names = tools.map((tool) => tool.name);
    is(new Set(names).size, names.length, 'number of different names');
    for (const name of OPERATIONS) must(names.includes(name), `${name} among ${names}`);
  });
  await check('gets the same list again', async () => {
    is(JSON.stringify(await session.list()), JSON.stringify(tools), 'second list');
  });
  await check('finds every tool well formed', () => {
    for (const tool of tools) {
      must(/^[A-Za-z0-9_-]{1,64}$/.test(tool.name), `name ${tool.name}`);
      must(tool.description, `description of ${tool.name}`);
      is(tool.inputSchema?.type, 'object', `inputSchema.type of ${tool.name}`);
      for (const key of Object.keys(tool.inputSchema.properties ?? {})) {
        must(/^[A-Za-z0-9_.-]{1,64}$/.test(key), `argument ${key} of ${tool.name}`);
      }
      must(!JSON.stringify(tool).includes('#/components/'), `${tool.name} without references into the document`);
    }
  });
  await check('sees what a call may do', () => {
    const hints = (name) => tools.find((tool) => tool.name === name)?.annotations ?? {};
    is(hints('getPet').readOnlyHint, true, 'readOnlyHint of getPet');
    is(hints('deletePet').destructiveHint, true, 'destructiveHint of deletePet');
    is(hints('replacePet').idempotentHint, true, 'idempotentHint of replacePet');
  });
  // What this SDK passes on of a schema says little about what it got.
  if (peer.group === 'stripping') return;
  await check('finds no read-only property in inputs and no write-only one in outputs', () => {
    const text = (name, part) => JSON.stringify(tools.find((tool) => tool.name === name)?.[part] ?? {});
    must(!text('createPet', 'inputSchema').includes('"addedAt"'), 'createPet takes no addedAt');
    must(text('createPet', 'inputSchema').includes('"note"'), 'createPet takes a note');
    must(!text('getPet', 'outputSchema').includes('"note"'), 'getPet answers no note');
  });
}

async function checkReading(check, session, peer) {
  await check('reads an object', async () => {
    const result = await session.call('getPet', { petId: 1 });
    const pet = json(result);
    is(pet.id, 1, 'id');
    is(pet.name, 'Rex', 'name');
    is('note' in pet, false, 'note is shown');
    if (peer.revision >= '2025-06-18') same(result.structuredContent, pet, 'structuredContent');
  });
  await check('reads a dictionary', async () => must(json(await session.call('getInventory', {})).available >= 0, 'available'));
  await check('calls without arguments', async () => must(json(await session.call('getInventory', undefined)), 'an answer'));
  await check('reads an array', async () => {
    const result = await session.call('listCategories', {});
    must(Array.isArray(json(result)), 'an array as text');
    const structured = result.structuredContent;
    if (peer.era !== 'modern') must(structured === undefined || !Array.isArray(structured), 'no array in structuredContent');
  });
  await check('filters and turns pages', async () => {
    const first = json(await session.call('listPets', { status: ['available', 'pending', 'sold'], limit: 2 }));
    is(first.items.length, 2, 'pets on page 1');
    const second = json(await session.call('listPets', { limit: 2, cursor: first.nextCursor }));
    must(second.items[0].id > first.items[1].id, 'page 2 goes on');
    const sold = json(await session.call('listPets', { status: ['sold'] }));
    must(sold.items.length > 0 && sold.items.every((pet) => pet.status === 'sold'), 'only sold pets');
  });
  await check('searches with an object', async () => {
    const found = json(await session.call('searchPets', { filter: { species: 'dog', maxPrice: 100000 }, sort: ['-price'] }));
    must(found.items.length > 0 && found.items.every((pet) => pet.species === 'dog'), 'only dogs');
  });
  await check('sees a picture', async () => {
    const result = await session.call('getPetPhoto', { petId: 1, photoId: 1 });
    const image = result.content.find((block) => block.type === 'image');
    is(image?.mimeType, 'image/png', 'mimeType');
    must(image.data.startsWith(PNG), 'a PNG signature in base64');
  });
}

async function checkFaults(check, session, peer) {
  await check('gets a 404 as a result', async () => {
    const result = await session.call('getPet', { petId: 999999 });
    is(result.isError, true, 'isError');
    must(text(result).includes('404'), `404 in ${text(result)}`);
  });
  for (const [what, name, args, word] of [
    ['a wrong type', 'getPet', { petId: 'one' }, 'petId'],
    ['a missing argument', 'getPet', {}, 'petId'],
    ['an unknown argument', 'getPet', { petId: 1, colour: 'red' }, 'colour'],
    ['a fault deep inside', 'createPet', { body: { name: 'X', species: 'unicorn', price: 1 } }, 'species'],
  ]) {
    await check(`is told of ${what}`, async () => {
      // Until 2025-06-18 a JSON-RPC error, from 2025-11-25 on a result the model can read.
      if (peer.revision <= '2025-06-18') {
        const error = await rejection(session.call(name, args));
        is(error.code, -32602, 'code');
        must(`${error.message} ${JSON.stringify(error.data)}`.includes(word), `${word} in ${error.message}`);
      } else {
        const result = await session.call(name, args);
        is(result.isError, true, 'isError');
        must(text(result).includes(word), `${word} in ${text(result)}`);
      }
    });
  }
  await check('is told of an unknown tool', async () => {
    is((await rejection(session.call('noSuchTool', {}))).code, -32602, 'code');
  });
}

async function checkWriting(check, session) {
  let id;
  await check('creates a pet', async () => {
    const pet = json(await session.call('createPet', { body: { name: 'Interop', species: 'fish', price: 3.5, note: 'secret' } }));
    id = pet.id;
    must(Number.isInteger(id), 'a new id');
    is(pet.price, 3.5, 'price');
  });
  if (id === undefined) return;
  await check('changes it', async () => {
    is(json(await session.call('updatePet', { petId: id, body: { price: 4, born: null } })).price, 4, 'price');
  });
  await check('replaces it', async () => {
    const pet = json(await session.call('replacePet', { petId: id, body: { name: 'Other', species: 'fish', price: 5, chip: null } }));
    is(pet.name, 'Other', 'name');
  });
  await check('orders it once, although asked twice', async () => {
    const order = { 'Idempotency-Key': `interop-${randomUUID()}`, body: orderOf(id) };
    const first = json(await session.call('placeOrder', order));
    is(json(await session.call('placeOrder', order)).id, first.id, 'id of the second order');
    is(json(await session.call('getOrder', { orderId: first.id })).items[0].petId, id, 'pet ordered');
  });
  await check('deletes it', async () => {
    const result = await session.call('deletePet', { petId: id, 'X-Reason': 'interop' });
    must(!result.isError, text(result));
    is((await session.call('getPet', { petId: id })).isError, true, 'isError afterwards');
  });
  await check('sends a circular schema', async () => {
    const body = { name: `Interop ${randomUUID()}`, parent: { name: 'Dogs', parent: { name: 'Mammals' } } };
    is(json(await session.call('createCategory', { body })).name, body.name, 'name');
  });
}

async function checkUpload(check, session) {
  await check('uploads a file', async () => {
    const picture = (await session.call('getPetPhoto', { petId: 1, photoId: 1 })).content.find((block) => block.type === 'image');
    const photo = json(await session.call('uploadPetPhoto', { petId: 2, body: { file: picture.data, caption: 'Copied' } }));
    is(photo.size, Buffer.from(picture.data, 'base64').length, 'size');
    is(photo.caption, 'Copied', 'caption');
  });
}

async function checkConfirmation(check, session, human) {
  const place = async () => {
    const pet = json(await session.call('createPet', { body: { name: 'Interop', species: 'other', price: 1 } }));
    return json(await session.call('placeOrder', { 'Idempotency-Key': randomUUID(), body: orderOf(pet.id) }));
  };
  const status = async (order) => json(await session.call('getOrder', { orderId: order.id })).status;
  await check('asks the human, who says no', async () => {
    const order = await place();
    human.answer('decline');
    is((await session.call('cancelOrder', { orderId: order.id })).isError, true, 'isError');
    is(human.asked(), 1, 'questions');
    is(await status(order), 'placed', 'status afterwards');
  });
  await check('asks the human, who says yes', async () => {
    const order = await place();
    human.answer('accept');
    const result = await session.call('cancelOrder', { orderId: order.id });
    must(!result.isError, text(result));
    is(human.asked(), 1, 'questions');
    is(await status(order), 'cancelled', 'status afterwards');
  });
}

function orderOf(petId) {
  const address = { street: '1 Test Street', city: 'Porto', country: 'PT' };
  return { items: [{ petId }], customer: { name: 'Interop', email: 'interop@example.org', address } };
}

function readFlags(args) {
  const found = { modules: '.', without: [] };
  while (args.length > 0) {
    const flag = args.shift();
    if (flag === '--stdio') found.stdio = args.splice(0);
    else if (flag === '--without') found.without = args.shift().split(',');
    else if (['--url', '--modules', '--only'].includes(flag)) found[flag.slice(2)] = args.shift();
    else usage();
  }
  if (Boolean(found.url) === Boolean(found.stdio?.length)) usage();
  return found;
}

function usage() {
  console.error('usage: sdk.mjs [--modules DIR] [--only PEER] [--without GROUP,...] (--url URL | --stdio COMMAND...)');
  process.exit(2);
}

function text(result) {
  return (result.content ?? []).map((block) => block.text ?? '').join('\n');
}

/** The JSON text of a successful result. */
function json(result) {
  must(!result.isError, `a success instead of: ${text(result)}`);
  return JSON.parse(result.content.find((block) => block.type === 'text').text);
}

async function rejection(promise) {
  let result;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a JSON-RPC error, got ${JSON.stringify(result).slice(0, 200)}`);
}

function must(value, what) {
  if (!value) throw new Error(`expected ${what}`);
}

function is(found, expected, what) {
  if (found !== expected) throw new Error(`${what}: expected ${expected}, found ${found}`);
}

function same(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}
