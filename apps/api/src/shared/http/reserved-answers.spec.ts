import { connect as connectTo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { Cleanup } from '#test/support/cleanup.js';
import { eventually } from '#test/support/eventually.js';
import { rawConnection, requestHead } from '#test/support/raw-connection.js';
import { Answer, type AnswerBody, sendShared } from './answer.js';
import { LongCalls } from './long-calls.js';
import { ANYBODY, type ServiceHttpPolicy } from './service-http-policy.js';
import { routeServices } from './service-routing.js';

const MIB = 1024 * 1024;
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** The header `key` names the caller. */
const policy: ServiceHttpPolicy = {
  prefix: '',
  unknownPath: (_request, reply) => void reply.code(404).send(),
  wrongMethod: (_request, reply) => void reply.code(405).send(),
  callersIn: [],
  admitAgain: async () => undefined,
  authorize: (request, _reply, proceed) => proceed(`${request.headers.key ?? ANYBODY}`),
  failed: (_error, _request, reply) => void reply.code(500).send(),
};

async function* pieces(count: number): Pieces {
  for (let index = 0; index < count; index++) yield [Buffer.alloc(MIB)];
}

/** A server with memory for four reads, two of them of one caller. `begun` counts reads, which end with `end`. */
const serving = async () => {
  const app = fastify();
  cleanup.defer(() => app.close());
  const room = new AnswerRoom(undefined, { all: 4 * MIB, share: 2 * MIB }, 0);
  app.decorate('answers', room).decorateRequest('sharedBy', '').decorateRequest('bodyMemory', undefined);
  app.decorate(
    'longCalls',
    new LongCalls({ completeness: { require: async () => undefined }, logger: { info: () => undefined, warn: () => undefined } }),
  );
  const bodies = new BodyIngress({ mostBytes: MIB, budgetBytes: MIB, timeoutSeconds: 30 });
  routeServices(app, [], policy, bodies);
  bodies.register(app);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const answering = (path: string, body: () => AnswerBody) =>
    app.get(path, async (request, reply) => {
      begun.push(request.sharedBy);
      await new Promise<void>((resolve) => ends.push(resolve));
      await new Answer(body()).send(reply);
      return reply;
    });
  answering('/held', () => bodyOfPieces(pieces(5)));
  answering('/ready', () => Buffer.alloc(20 * MIB));
  app.post('/search', { config: { body: 'entry' } }, async () => 'found');
  app.post('/throws', { config: { body: 'entry' } }, () => {
    throw new Error('before any promise');
  });
  app.get('/shared', (_request, reply) => sendShared(reply, Buffer.alloc(20 * MIB)));
  app.get('/shared-soon', (_request, reply) => sendShared(reply, Buffer.alloc(20 * MIB), 100));
  const connections: Socket[] = [];
  app.server.on('connection', (connection: Socket) => connections.push(connection));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const get = async (key?: string): Promise<number> => {
    const answer = await fetch(`${url}/held`, { headers: key === undefined ? {} : { key } });
    return (await answer.arrayBuffer()).byteLength;
  };
  const connect = async () => {
    const connection = await rawConnection(url);
    cleanup.defer(() => connection.close());
    return connection;
  };
  /** A client that does not read its answer. */
  const ask = (path: string, key = ''): Socket => {
    const client = connectTo(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    cleanup.defer(() => void client.destroy());
    client.pause().write(requestHead('GET', path, { ...(key && { key }) }));
    return client;
  };
  return { room, bodies, begun, url, connections, get, connect, ask, end: () => ends.shift()?.() };
};

const reaches = (count: () => number, expected: number): Promise<number> =>
  eventually(async () => count()).until((now) => now === expected);

describe('Reads', () => {
  it('of one caller begin as far as its share allows, those of others meanwhile, and all are answered', async () => {
    const { room, begun, get, end } = await serving();
    const own = Array.from({ length: 5 }, () => get('own'));
    await eventually(async () => begun.length).until((count) => count === 2);
    const other = get('other');
    await eventually(async () => begun.length).until((count) => count === 3);
    expect([begun, room.taken]).toEqual([['own', 'own', 'other'], 3 * MIB]);
    for (let ended = 0; ended < 6; ended++) {
      await eventually(async () => begun.length).until((count) => count > ended);
      end();
    }
    expect(await Promise.all([...own, other])).toEqual(Array(6).fill(5 * MIB));
    await eventually(async () => room.taken).until((taken) => taken === 0);
  });

  it('of a caller without a credential begin at once', async () => {
    const { begun, get, end } = await serving();
    const all = Array.from({ length: 5 }, () => get());
    await eventually(async () => begun.length).until((count) => count === 5);
    for (let ended = 0; ended < 5; ended++) end();
    expect(await Promise.all(all)).toEqual(Array(5).fill(5 * MIB));
  });

  it('return the memory of their body if the client goes while they wait', async () => {
    const { begun, bodies, connect, get, end } = await serving();
    const answered = Array.from({ length: 2 }, () => get('own'));
    await reaches(() => begun.length, 2);
    const connection = await connect();
    await connection.send(requestHead('POST', '/search', { key: 'own', 'content-length': '40000' }));
    await reaches(() => bodies.bytesInUse, 40_000);
    connection.close();
    await reaches(() => bodies.bytesInUse, 0);
    for (let ended = 0; ended < 2; ended++) end();
    await Promise.all(answered);
  });

  it('wait while bodies that are ready are sent, whose clients do not read', async () => {
    const { room, begun, ask, end } = await serving();
    const clients = Array.from({ length: 4 }, () => ask('/ready', 'own'));
    await reaches(() => begun.length, 2);
    for (let ended = 0; ended < 2; ended++) end();
    await reaches(() => room.taken, 40 * MIB);
    expect(begun).toHaveLength(2);
    for (const client of clients) client.destroy();
    await reaches(() => room.taken, 0);
  });

  it('return all memory if the client goes before the first of several answers', async () => {
    const { room, begun, connect, end } = await serving();
    const connection = await connect();
    await connection.send(requestHead('GET', '/held', { key: 'own' }).repeat(2));
    await eventually(async () => begun.length).until((count) => count > 0);
    connection.close();
    for (let ended = 0; ended < 2; ended++) end();
    await reaches(() => room.taken, 0);
  });
});

it('A handler that fails before it returns a promise returns the memory of the body', async () => {
  const { bodies, url } = await serving();
  expect((await fetch(`${url}/throws`, { method: 'POST', body: 'x'.repeat(1_000) })).status).toBe(500);
  await reaches(() => bodies.bytesInUse, 0);
});

describe('A body that all answers share', () => {
  it('takes no memory for a client that does not read', async () => {
    const { room, url, connections, ask } = await serving();
    ask('/shared');
    await eventually(async () => connections[0]?.writableNeedDrain).until((isFull) => isFull === true);
    expect(connections[0]?.writableLength).toBeLessThan(MIB);
    expect(room.taken).toBe(0);
    const answer = await fetch(`${url}/shared`);
    expect([answer.headers.get('content-length'), (await answer.arrayBuffer()).byteLength]).toEqual([`${20 * MIB}`, 20 * MIB]);
  });

  it('is not kept for a client that takes too long', async () => {
    const { connections, ask } = await serving();
    ask('/shared-soon');
    await eventually(async () => connections[0]?.destroyed).until((isClosed) => isClosed === true);
  });
});
