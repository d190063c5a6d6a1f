import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreRefusal } from '#infra/stores/store-access/store-trouble.js';
import { type EventStoreDbTestServer, startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { probeStores } from './probe.js';

const probe = (stores: Readonly<{ eventStoreUrl?: string; redisUrl?: string }>, timeLimitMs?: number) =>
  probeStores({ redisPrefix: 'probe', ...stores }, timeLimitMs);

/** Message with which a store refuses. @throws if it answers, or is only unreachable */
const refusal = async (stores: Parameters<typeof probe>[0]): Promise<string> => {
  const error = await probe(stores).catch((thrown: unknown) => thrown);
  if (!(error instanceof StoreRefusal)) throw new Error(`no refusal: ${JSON.stringify(error)}`);
  return `${error.variable} ${error.message}`;
};

describe('a probe of the stores', () => {
  let plain: EventStoreDbTestServer;
  let encrypted: EventStoreDbTestServer;
  let redis: TestRedis;
  const held = new Set<Socket>();
  const silent = createServer((socket) => held.add(socket.on('error', () => undefined)));
  const silentPort = () => (silent.address() as { port: number }).port;

  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    [plain, encrypted, redis] = await Promise.all([
      startEventStoreDb(),
      startEventStoreDb({ tls: true }),
      startRedis('--requirepass', 'right'),
    ]);
  });
  afterAll(async () => {
    silent.close();
    for (const socket of held) socket.destroy();
    await Promise.all([plain?.stop(), encrypted?.stop(), redis?.stop()]);
  });

  const redisUrl = (scheme: string, credentials: string) => redis.url.replace('redis://', `${scheme}://${credentials}`);

  it('finds stores that are there', async () => {
    expect(await probe({})).toEqual([]);
    expect(await probe({ eventStoreUrl: plain.connectionString, redisUrl: redisUrl('redis', ':right@') })).toEqual([]);
    expect(await probe({ eventStoreUrl: encrypted.connectionString })).toEqual([]);
  });

  it('says which stores are away, and why', async () => {
    const away = await probe({ eventStoreUrl: 'esdb://127.0.0.1:1?tls=false', redisUrl: 'redis://127.0.0.1:1' });
    expect(away).toEqual([
      { variable: 'EVENTSTORE_URL', reason: expect.stringMatching(/^EventStoreDB does not answer: .*ECONNREFUSED 127\.0\.0\.1:1/) },
      { variable: 'REDIS_URL', reason: expect.stringMatching(/^Redis does not answer: .*ECONNREFUSED 127\.0\.0\.1:1/) },
    ]);
  });

  it('takes a server that is not ready for away', async () => {
    plain.refuseNotReady(true);
    const away = await probe({ eventStoreUrl: plain.connectionString }).finally(() => plain.refuseNotReady(false));
    expect(away).toEqual([{ variable: 'EVENTSTORE_URL', reason: expect.stringContaining('Server Is Not Ready') }]);
  });

  it('takes servers that say nothing for away, with TLS, too', async () => {
    const at = `127.0.0.1:${silentPort()}`;
    const addresses = [
      { eventStoreUrl: `esdb://${at}?tls=false` },
      { eventStoreUrl: `esdb://${at}` },
      { redisUrl: `redis://${at}` },
      { redisUrl: `rediss://${at}` },
    ];
    const mute = await Promise.all(addresses.map((address) => probe(address, 300)));
    expect(mute.map(([away]) => away?.variable)).toEqual(['EVENTSTORE_URL', 'EVENTSTORE_URL', 'REDIS_URL', 'REDIS_URL']);
  });

  it('is refused by Redis with wrong credentials, or with TLS that it does not speak', async () => {
    const said = await Promise.all(
      [redisUrl('redis', ''), redisUrl('redis', ':a-secret@'), redisUrl('rediss', ':right@')].map((url) => refusal({ redisUrl: url })),
    );
    expect(said).toEqual([
      expect.stringMatching(/^REDIS_URL Redis: user or password .*NOAUTH/),
      expect.stringMatching(/^REDIS_URL Redis: user or password .*WRONGPASS/),
      expect.stringMatching(/^REDIS_URL Redis: 127\.0\.0\.1:\d+ does not speak TLS/),
    ]);
    expect(said.join()).not.toContain('a-secret');
  });

  it.each<readonly [string, () => string, RegExp]>([
    ['a wrong password', () => encrypted.connectionString.replace('changeit', 'a-secret'), /user or password are wrong/],
    ['certificates that it does not have', () => encrypted.connectionString.replace(/&tlsCAFile=.*/, ''), /TLS with .*self.signed/],
    ['TLS that it does not speak', () => plain.connectionString.replace('tls=false', 'tls=true'), /does not speak TLS/],
    ['no TLS where it wants it', () => `esdb://127.0.0.1:${encrypted.port}?tls=false`, /speaks TLS only/],
  ])('is refused by EventStoreDB with %s', async (_what, connectionString, reason) => {
    const said = await refusal({ eventStoreUrl: connectionString() });
    expect(said).toMatch(/^EVENTSTORE_URL EventStoreDB: /);
    expect(said).toMatch(reason);
    expect(said).not.toContain('a-secret');
  });
});
