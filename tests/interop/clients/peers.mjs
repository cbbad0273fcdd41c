// The two lines of the TypeScript SDK behind one face: connect, and then revision, era, server,
// capabilities, list, call, close. sdk.mjs holds the checks.

// Longer than any answer here takes; a call that hangs fails its check and not the run.
const PATIENCE = { timeout: 15_000 };

/** The first SDK line: `initialize` only. */
export function openV1({ flags, load }, name) {
  return async (onElicit, elicitation = {}) => {
    const { Client } = load(`${name}/client/index.js`);
    const types = load(`${name}/types.js`);
    const client = new Client({ name: 'interop', version: '1' }, { capabilities: onElicit ? { elicitation } : {} });
    if (onElicit && types.ElicitRequestSchema) client.setRequestHandler(types.ElicitRequestSchema, onElicit);
    const transport = flags.url
      ? new (load(`${name}/client/streamableHttp.js`).StreamableHTTPClientTransport)(new URL(flags.url))
      : new (load(`${name}/client/stdio.js`).StdioClientTransport)(stdioCommand(flags));
    const revision = watchRevision(transport);
    await client.connect(transport, PATIENCE);
    return {
      revision: () => revision.seen,
      server: () => client.getServerVersion(),
      capabilities: () => client.getServerCapabilities(),
      list: () => allPages((cursor) => client.listTools(cursor === undefined ? undefined : { cursor }, PATIENCE)),
      call: (tool, args, _meta) => client.callTool({ name: tool, ...(args && { arguments: args }), ...(_meta && { _meta }) }, undefined, PATIENCE),
      close: () => client.close(),
    };
  };
}

/** Reads the revision off the answer to `initialize`; the oldest SDK tells it in no other way. */
function watchRevision(transport) {
  const watched = { seen: undefined };
  let handler;
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set: (next) => {
      handler = next && ((message, ...rest) => {
        watched.seen ??= message?.result?.protocolVersion;
        return next(message, ...rest);
      });
    },
  });
  return watched;
}

/** The second SDK line: both eras. */
export function openV2({ flags, load }, mode) {
  return async (onElicit, elicitation = { form: {} }) => {
    const { Client, StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');
    const capabilities = onElicit ? { elicitation } : {};
    const client = new Client({ name: 'interop', version: '2' }, { capabilities, versionNegotiation: { mode } });
    if (onElicit) client.setRequestHandler('elicitation/create', onElicit);
    const transport = flags.url
      ? new StreamableHTTPClientTransport(new URL(flags.url))
      : new (load('@modelcontextprotocol/client/stdio').StdioClientTransport)(stdioCommand(flags));
    await client.connect(transport, PATIENCE);
    return {
      revision: () => client.getNegotiatedProtocolVersion(),
      era: () => client.getProtocolEra(),
      server: () => client.getServerVersion(),
      capabilities: () => client.getServerCapabilities(),
      list: async () => {
        const pages = await allPages((cursor) => client.listTools(cursor === undefined ? {} : { cursor }, PATIENCE));
        // Without a cursor this SDK walks the pages itself and keeps the schemas it then validates with.
        const own = (await client.listTools()).tools.length;
        if (own !== pages.length) throw new Error(`the SDK itself lists ${own} tools, its pages hold ${pages.length}`);
        return pages;
      },
      call: (tool, args, _meta) => client.callTool({ name: tool, ...(args && { arguments: args }), ...(_meta && { _meta }) }, PATIENCE),
      close: () => client.close(),
    };
  };
}

async function allPages(page) {
  const tools = [];
  let cursor;
  for (let count = 0; count < 100; count += 1) {
    const result = await page(cursor);
    tools.push(...result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error('more than 100 pages');
}

function stdioCommand(flags) {
  return { command: flags.stdio[0], args: flags.stdio.slice(1), stderr: 'ignore' };
}
