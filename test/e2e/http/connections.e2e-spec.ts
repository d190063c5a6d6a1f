import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProject } from '#test/e2e/messaging/calls.js';
import { serving, servingAlone } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { answerIn, rawConnection } from '#test/support/raw-connection.js';

const PUBLISH = '/v1/projects/p/topics/t:publish';
const BODY = JSON.stringify({ messages: [{ data: 'YQ==' }] });
const KEY = { 'x-api-key': SERVICE_TOKEN };
const CLOSE = { connection: 'close' };

type Headers = Readonly<Record<string, string>>;
type Sent = Readonly<{ method: string; path: string; headers?: Headers; body?: string }>;

/** Bodies that are taken, refused before they are read, refused for their size and their text; and calls without one. */
const CALLS: readonly (readonly [what: string, status: number, call: Sent])[] = [
  ['GET', 200, { method: 'GET', path: '/health/live' }],
  ['HEAD', 200, { method: 'HEAD', path: '/health/live' }],
  ['OPTIONS', 200, { method: 'OPTIONS', path: '/api/v2/weights' }],
  ['a body that is taken', 200, { method: 'POST', path: PUBLISH, headers: KEY, body: BODY }],
  ['a large body that is taken', 200, { method: 'POST', path: PUBLISH, headers: KEY, body: `${' '.repeat(300_000)}${BODY}` }],
  ['a body that is no JSON', 400, { method: 'POST', path: PUBLISH, headers: KEY, body: '{' }],
  ['a body without a credential', 401, { method: 'POST', path: PUBLISH, body: BODY }],
];

const headOf = (version: '1.0' | '1.1', { method, path, headers = {}, body }: Sent): string => {
  const length: Headers = body === undefined ? {} : { 'content-length': `${body.length}` };
  const lines = Object.entries({ host: 'logbook', ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/${version}\r\n${lines.join('')}\r\n`;
};

const bytesOf = (version: '1.0' | '1.1', call: Sent): string => headOf(version, call) + (call.body ?? '');

/** Values of `Connection` and `Keep-Alive` in the first answer. */
const persistenceIn = (text: string): readonly (string | undefined)[] =>
  ['connection', 'keep-alive'].map((name) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(text)?.[1]?.toLowerCase());

/** A call of each edge with its credential, and what its errors say of a request that is no HTTP. */
const EDGES: readonly (readonly [path: string, credential: Headers, badRequest: string])[] = [
  ['/v1/projects', KEY, '"message": "The request is not well-formed HTTP"'],
  ['/accounting-system/projects', { authorization: `Bearer ${SYSTEM_ADMIN}` }, '"message":"HTTP 400 Bad Request"'],
  ['/api/v2/admin/tenants', { 'x-api-key': ADMIN }, '"details": "The request is not well-formed HTTP"'],
  ['/ops/keys', { 'x-api-key': OPERATOR }, '"detail":"the request was refused: Bad Request"'],
];

/** More than Node reads by default, in a few KiB. */
const MANY_HEADERS = 'a:\r\n'.repeat(2_500);

const KEPT = ['keep-alive', 'timeout=72'];
const CLOSED = ['close', undefined];

describe('connections', () => {
  const scene = serving(embedded, { LOGBOOK_ROLES: 'api,projector' });
  beforeAll(async () => {
    const admin = inProject(scene, 'p');
    await admin.call('POST', '', {});
    await admin.topic('t');
  });

  /** The head of the first answer, and whether the server kept the connection open for another call. */
  const ask = async (bytes: string): Promise<Readonly<{ persistence: readonly (string | undefined)[]; isKept: boolean; text: string }>> => {
    const connection = await rawConnection(scene.server.url);
    await connection.send(bytes);
    const first = await connection.until('\r\n\r\n');
    await connection.send(headOf('1.1', { method: 'GET', path: '/ops/unknown', headers: CLOSE }));
    const text = await connection.ended;
    return { persistence: persistenceIn(first), isKept: /HTTP\/1.1 \d+ .*HTTP\/1.1 40[14] /s.test(text), text };
  };

  const asking = (call: Sent, connection?: string): Sent =>
    connection === undefined ? call : { ...call, headers: { ...call.headers, connection } };

  it.each(CALLS)('end or stay as HTTP/1.1 and HTTP/1.0 clients ask, and answers say so: %s', async (_what, status, call) => {
    for (const [version, connection, expected] of [
      ['1.1', undefined, KEPT],
      ['1.1', 'keep-alive', KEPT],
      ['1.1', 'close', CLOSED],
      ['1.0', undefined, CLOSED],
      ['1.0', 'close', CLOSED],
      ['1.0', 'keep-alive', KEPT],
    ] as const) {
      const { persistence, isKept, text } = await ask(bytesOf(version, asking(call, connection)));
      const shown = { version, connection, status: Number(text.slice(9, 12)), persistence, isKept };
      expect(shown).toEqual({ version, connection, status, persistence: expected, isKept: expected === KEPT });
    }
  });

  it.each([
    ['too large to be read', { method: 'POST', path: PUBLISH, body: 'x'.repeat(70 * 1024) }],
    ['not sent yet, by a client that waits for 100', { method: 'POST', path: PUBLISH, headers: { expect: '100-continue' }, body: BODY }],
  ] as const)('end after a refused body that is %s', async (_what, call) => {
    const connection = await rawConnection(scene.server.url);
    await connection.send(headOf('1.1', call));
    const text = await connection.ended;
    expect([text.slice(9, 12), ...persistenceIn(text)]).toEqual(['401', ...CLOSED]);
  });

  it('stay open after a body that a client asked for beforehand; a client of HTTP/1.0 cannot ask', async () => {
    const call: Sent = { method: 'POST', path: PUBLISH, headers: { ...KEY, expect: '100-continue', connection: 'keep-alive' }, body: BODY };
    const connection = await rawConnection(scene.server.url);
    await connection.send(headOf('1.1', call));
    expect(await connection.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await connection.send(BODY);
    expect(persistenceIn(await connection.until('messageIds'))).toEqual(KEPT);
    expect(connection.isOpen).toBe(true);
    connection.close();
    const { text, persistence } = await ask(bytesOf('1.0', call));
    expect([text.slice(0, 12), persistence]).toEqual(['HTTP/1.1 200', KEPT]);
  });

  it('answer pipelined calls in order, up to the one that ends the connection', async () => {
    const calls = CALLS.map(([, , call]) => bytesOf('1.1', call));
    const last = bytesOf('1.1', { method: 'POST', path: PUBLISH, headers: { ...KEY, ...CLOSE }, body: BODY });
    const connection = await rawConnection(scene.server.url);
    await connection.send([...calls, last, ...calls].join(''));
    const text = await connection.ended;
    expect(text.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual([...CALLS.map(([, status]) => `${status}`), '200']);
    expect(text.match(/(?<=\nconnection: ).*(?=\r)/gi)).toEqual([...CALLS.map(() => 'keep-alive'), 'close']);
  });

  it.each([true, false])(
    'lose no call of a pool whose calls ask for the end of their connections: agent with keepAlive %s',
    async (keepAlive) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      const { hostname, port } = new URL(scene.server.url);
      const send = (headers: Headers): Promise<readonly [number | undefined, string | undefined]> =>
        new Promise((resolve, reject) => {
          const onAnswer = (answer: IncomingMessage): void => {
            void textOf(answer).then(() => resolve([answer.statusCode, answer.headers.connection]), reject);
          };
          request({ agent, hostname, port, method: 'POST', path: PUBLISH, headers: { ...KEY, ...headers } }, onAnswer)
            .on('error', reject)
            .end(BODY);
        });
      for (let n = 0; n < 10; n += 1) expect(await send(CLOSE)).toEqual([200, 'close']);
      if (keepAlive) for (let n = 0; n < 10; n += 1) expect(await send({})).toEqual([200, 'keep-alive']);
      agent.destroy();
    },
  );

  it.each(EDGES)('carry requests without a host, with odd expectations or many headers: %s', async (path, credential, badRequest) => {
    const head = headOf('1.1', { method: 'GET', path, headers: { ...CLOSE, ...credential } });
    const answerTo = async (changed: string) => {
      const connection = await rawConnection(scene.server.url);
      await connection.send(changed);
      return answerIn(await connection.ended);
    };
    const { status, body } = await answerTo(head.replace('host: logbook\r\n', ''));
    expect([status, body]).toEqual([400, expect.stringContaining(badRequest)]);
    expect((await answerTo(head.replace('host', 'expect: 200-ok\r\nhost'))).status).toBe(200);
    expect((await answerTo(head.replace('host', `${MANY_HEADERS}host`))).status).toBe(200);
  });

  it('carry bodies whose length comes after many headers, and those of clients with odd expectations', async () => {
    for (const odd of [MANY_HEADERS, 'expect: 200-ok\r\n']) {
      const connection = await rawConnection(scene.server.url);
      const call = bytesOf('1.1', { method: 'POST', path: PUBLISH, headers: { ...KEY, ...CLOSE }, body: BODY });
      await connection.send(call.replace('content-length', `${odd}content-length`));
      expect(await connection.ended).toContain('messageIds');
    }
  });

  it('lose no call of the pool behind fetch', async () => {
    for (let n = 0; n < 20; n += 1) {
      const headers = { ...KEY, ...(n % 2 === 0 ? CLOSE : {}) };
      const answer = await fetch(scene.server.url + PUBLISH, { method: 'POST', headers, body: BODY });
      await answer.text();
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, n % 2 === 0 ? 'close' : 'keep-alive']);
    }
  });

  it('over which nothing was asked do not keep a server that ends', async () => {
    const socket = connect(Number(new URL(scene.server.url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    expect(await scene.restart()).toBe(0); // in order, so before its patience ended
    await closed;
  });
});

describe('streams among many connections', () => {
  const scene = servingAlone(embedded, { LOGBOOK_ROLES: 'api,projector' });

  it('cause no warning of Node, also those that wait for memory', async () => {
    const admin = inProject(scene, 'p');
    await admin.call('POST', '', {});
    await admin.topic('t');
    await admin.subscription('s', 't');
    const { url, lines } = scene.server;
    const idle = await Promise.all(Array.from({ length: 130 }, () => rawConnection(url)));
    const streams = await Promise.all(Array.from({ length: 100 }, () => rawConnection(url)));
    const call = headOf('1.1', { method: 'GET', path: '/v1/projects/p/subscriptions/s:stream', headers: KEY });
    await Promise.all(streams.map((stream) => stream.send(call)));
    for (const stream of streams) await stream.until(': keep-alive');
    for (const connection of [...streams, ...idle]) connection.close();
    await scene.restart(); // after which all lines are there
    expect(lines.filter((line) => line.includes('Warning'))).toEqual([]);
  });
});
