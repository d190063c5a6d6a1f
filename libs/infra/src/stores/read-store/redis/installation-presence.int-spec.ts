import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { PrefixInUse } from '#infra/stores/store-access/prefix-in-use.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { openRedisLink, startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { startRedisCluster } from '#test/support/redis/redis-cluster.js';
import { InstallationPresence, type PresenceOptions } from './installation-presence.js';

const [ONE, OTHER] = [randomUUID(), randomUUID()];
/** For processes that find those of another installation: so long they wait for these to go. */
const SHORT_MS = 100;
/** For processes that find a copy of their log: within it, the copy has to answer. */
const ANSWER_MS = 2_000;

describe('processes of an installation on a shared Redis', () => {
  let redis: TestRedis;
  let keyPrefix: string;
  let tests = 0;
  const open: InstallationPresence[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => {
    keyPrefix = `${redis.keyPrefix}-${++tests}`;
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  const announce = async (installation: string | null, more: Partial<PresenceOptions> = {}): Promise<InstallationPresence> => {
    const presence = await InstallationPresence.announce({
      url: redis.url,
      keyPrefix,
      node: `node-of-${installation}`,
      installation: async () => installation,
      isOnlyProcess: false,
      report: (message) => {
        throw new Error(message);
      },
      patienceMs: LONGEST_MS,
      ...more,
    });
    open.push(presence);
    return presence;
  };
  const database = (number: number): string => Object.assign(new URL(redis.url), { pathname: `/${number}` }).href;

  it('may be many, and come back', async () => {
    const first = await announce(ONE);
    await announce(ONE);
    await first.close();
    await announce(ONE);
    await announce(ONE, { url: database(3) });
  });

  it.each([0, 3])('are refused beside those of another one, in database %s', async (number) => {
    await announce(ONE);
    const refused = announce(OTHER, { url: database(number), patienceMs: SHORT_MS });
    await expect(refused).rejects.toThrow(PrefixInUse);
    await expect(refused).rejects.toThrow(`installation ${ONE} (node-of-${ONE}) uses the prefix ${keyPrefix} on this Redis`);
    await announce(ONE); // the refused process left nothing behind
  });

  it('are at home once those of the other one are gone, or beside them with another prefix', async () => {
    const other = await announce(OTHER);
    await announce(ONE, { keyPrefix: `${keyPrefix}-other` });
    await other.close();
    await announce(ONE);
  });

  it.each(['copy', 'original'])('are refused beside a copy of their embedded log, as node %s', async (node) => {
    const original = { node: 'original', isOnlyProcess: true };
    await announce(ONE, original);
    const refused = announce(ONE, { node, process: 'copy', isOnlyProcess: true, patienceMs: ANSWER_MS });
    await expect(refused).rejects.toThrow(`installation ${ONE} (original) uses the prefix ${keyPrefix} on this Redis`);
    await announce(ONE, original); // an attempt to start that was given up may still be visible
  });

  it('start with their embedded log though Redis still shows a process of it whose machine was lost', async () => {
    const lost = await createClient({ url: redis.url }).connect();
    try {
      await lost.subscribe(`${keyPrefix}:{installation}:${ONE} machine lost`, () => undefined);
      await announce(ONE, { isOnlyProcess: true, patienceMs: SHORT_MS });
    } finally {
      lost.destroy();
    }
  });

  it('do not both start where two installations start at once', async () => {
    const started = await Promise.allSettled([ONE, OTHER].map((one) => announce(one, { patienceMs: SHORT_MS })));
    expect(started.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
  });

  it('start beside those that have not noticed yet that the log was replaced', async () => {
    let installation = ONE;
    await announce(ONE, { installation: async () => installation });
    installation = OTHER;
    await announce(OTHER);
    await expect(announce(ONE, { patienceMs: SHORT_MS })).rejects.toThrow(PrefixInUse);
  });

  it('are seen again after a lost connection', async () => {
    const link = await openRedisLink(redis.url);
    await announce(ONE, { url: link.url });
    link.reset();
    // Until it has reconnected, other processes do not see it.
    await until(() => link.accepted() > 1);
    const client = await createClient({ url: redis.url }).connect();
    await until(async () => (await client.pubSubChannels(`${keyPrefix}:*`)).length > 1);
    client.destroy();
    await expect(announce(OTHER, { patienceMs: SHORT_MS })).rejects.toThrow(PrefixInUse);
    await link.close();
  });

  it('need no log that is there already', async () => {
    await announce(null);
    await announce(ONE);
  });

  it('are seen in a Cluster, too', async () => {
    const cluster = await startRedisCluster();
    try {
      await announce(ONE, { url: cluster.url });
      await announce(ONE, { url: cluster.url });
      await expect(announce(OTHER, { url: cluster.url, patienceMs: SHORT_MS })).rejects.toThrow(PrefixInUse);
      const copy = { process: 'copy', isOnlyProcess: true, patienceMs: ANSWER_MS };
      await expect(announce(ONE, { url: cluster.url, ...copy })).rejects.toThrow(PrefixInUse);
    } finally {
      for (const one of open.splice(0)) await one.close();
      await cluster.stop();
    }
  });
});
