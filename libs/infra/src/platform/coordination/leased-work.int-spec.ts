import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { directAccess, Lease } from './lease.js';
import { LeasedWork } from './leased-work.js';
import { reportsOf } from './work-lease.js';

const AT = { name: 'spec.leased-work', collection: 'work', key: 'holder' };
const timing = { beatMs: 10, graceMs: LONGEST_MS, silenceMs: LONGEST_MS };

describe('work that one node at a time does', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let store: ReadStore;
  const nodes: LeasedWork[] = [];
  const working: string[] = [];
  const said: string[] = [];
  beforeEach(async () => {
    said.length = 0;
    directory = temporaryDirectory();
    store = await openDocumentStore({ path: directory.path });
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await store.close();
    directory.remove();
  });

  /** A node that reports its name while it works, until it is stopped. */
  const start = (name: string, begin: (over: AbortSignal) => Promise<void> = async () => {}, onTried = () => {}) => {
    const node = new LeasedWork({
      store,
      at: AT,
      needed: async () => {},
      work: async (over, report) => {
        working.push(name);
        try {
          report(name, { name });
          await begin(over);
          await sleep(60_000, undefined, { signal: over, ref: false }).catch(() => undefined);
        } finally {
          working.splice(working.indexOf(name), 1);
        }
      },
      log: { debug: () => {}, warn: () => said.push('warn'), error: () => said.push('error') },
      now: Date.now,
      timing,
      onTried,
    });
    nodes.push(node);
    node.start();
    return node;
  };
  const reports = () => reportsOf(store, AT, 10);
  /** Another process takes the lease, and gives it back. */
  const taken = async () => {
    const holder = { ...{ id: 'other', node: 'other', beatAt: 0 }, released: true };
    const never = new AbortController().signal;
    await Lease.acquire(directAccess(store), AT, () => ({ holder }), {
      ...{ isFree: () => true, onHeld: () => {}, silenceMs: 1, pollMs: 1, signal: never },
    });
  };

  it('goes to another one at once when that stops, which begins without the reports of the one before', async () => {
    const first = start('one');
    await until(async () => (await reports()).length === 1);
    let tries = 0;
    start('two', undefined, () => (tries += 1));
    await until(() => tries > 1);
    expect([working, await reports()]).toEqual([['one'], [{ name: 'one' }]]);
    await first.stop();
    await until(async () => JSON.stringify(await reports()) === '[{"name":"two"}]');
    expect(working).toEqual(['two']);
  });

  it('is tried again after it has failed', async () => {
    let failures = 0;
    start('one', async () => {
      if (failures++ === 0) throw new Error('once');
    });
    await until(async () => failures === 2);
  });

  it('is in trouble when it fails by itself, not when its lease is lost', async () => {
    let begun = 0;
    start('one', async (over) => {
      begun += 1;
      if (begun === 1) throw new Error('by itself');
      if (begun === 2) await taken();
      if (begun === 2 && !over.aborted) await once(over, 'abort');
      over.throwIfAborted();
    });
    await until(() => begun > 2);
    expect(said).toEqual(['error', 'warn']);
  });
});
