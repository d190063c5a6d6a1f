import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLmdbReadStore } from '#infra/read-store/lmdb/lmdb-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { until } from '#test/support/projections/runner-lab.js';
import { Leadership, shownBy } from './leadership.js';

const NAME = 'test.leadership';
const timing = { beatMs: 10, graceMs: 200, silenceMs: 400 };

describe('leadership', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let store: ReadStore;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
    store = openLmdbReadStore({ path: directory.path });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await store.close();
    directory.remove();
  });

  const leading: string[] = [];
  /** A node that shows its name while it leads, until it is stopped. */
  const node = (name: string, work?: () => Promise<void>) => {
    const ending = new AbortController();
    const log = { warn: () => undefined };
    const done = new Leadership({ store, name: NAME, what: 'specs are run', log, timing }).run(ending.signal, async (over, show) => {
      leading.push(name);
      show(name, { name });
      await work?.();
      await new Promise((resolve) => over.addEventListener('abort', resolve));
      leading.splice(leading.indexOf(name), 1);
    });
    const stop = async () => {
      ending.abort();
      await done;
    };
    stops.push(stop);
    return stop;
  };
  const shown = () => shownBy(store, NAME, 10);

  it('is one node’s at a time, and goes to another one when that stops, with nothing shown of the one before', async () => {
    const stopFirst = node('one');
    await until(async () => (await shown()).length === 1);
    node('two');
    await new Promise((resolve) => setTimeout(resolve, 5 * timing.beatMs));
    expect([leading, await shown()]).toEqual([['one'], [{ name: 'one' }]]);
    await stopFirst();
    await until(async () => JSON.stringify(await shown()) === '[{"name":"two"}]');
    expect(leading).toEqual(['two']);
  });

  it('is tried again after work that failed', async () => {
    let failures = 0;
    node('one', async () => {
      if (failures++ === 0) throw new Error('once');
    });
    await until(async () => failures === 2);
  });
});
