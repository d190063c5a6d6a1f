import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keySlot } from '#infra/stores/read-store/redis/connection/key-slot.js';
import { CheckpointConflict, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import {
  COLLECTION,
  harnessOver,
  listed,
  put,
  type ReadStoreHarness,
  removePrefix,
  serveDocuments,
} from '#test/contracts/read-store/fixture.js';
import { readStoreContract } from '#test/contracts/read-store.contract.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { reaching, whenBack, whenBackOrBehind } from '#test/support/read-stores.js';
import { startRedisCluster, type TestCluster, untilSays } from '#test/support/redis/redis-cluster.js';
import { openRedisReadStore } from './redis-read-store.js';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.stop());

const openHarness = (): Promise<ReadStoreHarness> => {
  const keyPrefix = cluster.newPrefix();
  return harnessOver(() => openRedisReadStore({ url: cluster.url, keyPrefix }));
};

readStoreContract('Redis Cluster', openHarness);

/** A projection whose keys are on the master with this index. */
const projectionOn = (master: number, but = ''): string => {
  for (let n = 0; ; n++) {
    const name = `projection-${n}`;
    if (name !== but && Math.floor((keySlot(name) * 3) / 16_384) === master) return name;
  }
};

describe('the Redis read store on a Cluster', () => {
  it('spreads projections over the nodes, and keeps each on one', async () => {
    const { store, dispose } = await openHarness();
    const names = [0, 1, 2].map((master) => projectionOn(master));
    for (const name of names) {
      await serveDocuments(store, [put('a', '1'), put('b', '1', 'second')], name);
      const next = await store.prepare(name, 2);
      await store.commit(next, [put('a', '2'), put('b', '2', 'second'), removePrefix('b', 'second')], 0n, 1n);
      await store.serve(next);
      expect(await listed(store.view(name), { reverse: true, limit: 1 })).toEqual(['a=2']);
    }
    for (const [n, master] of cluster.masters.entries()) {
      const keys = String(await cluster.ask(master, 'KEYS', '*'));
      expect(names.map((name) => keys.includes(`{${name}}`))).toEqual([0, 1, 2].map((index) => index === n));
    }
    await dispose();
  });

  it('goes on while a slot moves to another node', async () => {
    const { store, dispose } = await openHarness();
    const name = projectionOn(0);
    const namespace = await serveDocuments(store, [put('a', '1')], name);
    const [source, target] = cluster.masters;
    if (!source || !target) throw new Error('no masters');
    const slot = `${keySlot(name)}`;
    const [sourceId, targetId] = [
      String(await cluster.ask(source, 'CLUSTER', 'MYID')),
      String(await cluster.ask(target, 'CLUSTER', 'MYID')),
    ];
    await cluster.ask(target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
    await cluster.ask(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    const keys = (await cluster.ask(source, 'CLUSTER', 'GETKEYSINSLOT', slot, '1000')) as readonly string[];
    await cluster.ask(source, 'MIGRATE', '127.0.0.1', `${target.port}`, '', '0', '5000', 'KEYS', ...keys);
    // The keys have been moved, the slot has not: single keys can be read, scripts have to wait.
    expect(await store.checkpoint(namespace)).toBe(1n);
    const read = whenBack(() => listed(store.view(name)));
    const committed = store.commit(namespace, [put('b', '2')], 1n, 2n);
    for (const server of [target, source]) await cluster.ask(server, 'CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
    expect(await read).toContain('a=1');
    await committed.catch((error: unknown) => expect(error).toBeInstanceOf(ReadStoreUnavailable));
    const checkpoint = await whenBack(() => store.checkpoint(namespace));
    const heard = reaching(store, name, checkpoint + 1n);
    await store.commit(namespace, [put('c', '3')], checkpoint, checkpoint + 1n);
    await heard;
    expect(await listed(store.view(name))).toContain('c=3');
    await dispose();
  });

  it('goes on with the replica of a master that hangs, however many calls come to it meanwhile', async () => {
    const keyPrefix = cluster.newPrefix();
    const store = await openRedisReadStore({ url: cluster.url, keyPrefix, timeLimitMs: 1_000 });
    const name = projectionOn(1);
    const [master, replica] = [cluster.masters[1], cluster.replicas[1]];
    if (!master || !replica) throw new Error('no second master');
    const patient = await openRedisReadStore({ url: cluster.url, keyPrefix, timeLimitMs: LONGEST_MS });
    const namespace = await serveDocuments(patient, [put('a', '1')], name);
    await patient.close();
    await cluster.ask(master, 'WAIT', '1', '5000');
    master.signal('SIGSTOP');
    await untilSays(replica, ['CLUSTER', 'FAILOVER', 'TAKEOVER'], 'OK');
    let answered: bigint | undefined;
    const calls: Promise<void>[] = [];
    while (answered === undefined) {
      calls.push(
        store.checkpoint(namespace).then(
          (checkpoint) => {
            answered = checkpoint;
          },
          (error: unknown) => expect(error).toBeInstanceOf(ReadStoreUnavailable),
        ),
      );
      await sleep(50);
    }
    await Promise.all(calls);
    expect(answered).toBe(1n);
    master.signal('SIGCONT');
    await store.close();
  });

  it('goes on with the replica of a master that died, and does not hide that it lacks the last commit', async () => {
    const { store, secondProcess, dispose } = await openHarness();
    const other = await secondProcess();
    const [name, elsewhere] = [projectionOn(2), projectionOn(1)];
    const [master, replica] = [cluster.masters[2], cluster.replicas[2]];
    if (!master || !replica) throw new Error('no third master');
    const unharmed = await serveDocuments(store, [put('a', '1')], elsewhere);
    const namespace = await serveDocuments(store, [put('a', '1')], name);
    await cluster.ask(master, 'WAIT', '1', '5000');
    const seen = reaching(other, name, 2n);
    // From here on the replica receives nothing.
    replica.signal('SIGSTOP');
    await cluster.ask(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
    await store.commit(namespace, [put('b', '2')], 1n, 2n);
    await seen;
    master.signal('SIGKILL');
    replica.signal('SIGCONT');
    await expect(store.commit(namespace, [put('c', '3')], 2n, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await store.commit(unharmed, [put('b', '2')], 1n, 2n);
    await untilSays(replica, ['CLUSTER', 'FAILOVER', 'TAKEOVER'], 'OK');
    expect(await whenBack(() => store.checkpoint(namespace))).toBe(1n);
    await expect(store.commit(namespace, [put('c', '3')], 2n, 3n)).rejects.toBeInstanceOf(CheckpointConflict);
    // Readers saw position 2. Until it is applied again they see nothing, in this process and in others.
    for (const one of [store, other])
      await expect(whenBackOrBehind(() => one.view(name, () => 2n).get(COLLECTION, 'a'))).resolves.toBe('behind');
    await store.commit(namespace, [put('b', '2')], 1n, 2n);
    const again = reaching(other, name, 3n);
    await store.commit(namespace, [put('c', '3')], 2n, 3n);
    await again;
    for (const one of [store, other]) expect(await listed(one.view(name))).toEqual(['a=1', 'b=2', 'c=3']);
    await dispose();
  });
});
