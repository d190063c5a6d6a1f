import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { follow, idsOf, newEvents, readLog, readWhole, revisionsOf } from '#test/contracts/event-store/fixture.js';
import { eventStoreContract } from '#test/contracts/event-store.contract.js';
import { openEmbeddedHarness, startLogAt, temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from './embedded-event-store.js';

const BORDER = 2 ** 32;

eventStoreContract('embedded, across position 2^32', () => openEmbeddedHarness(BORDER - 4));
eventStoreContract('embedded, up to position 2^53', () => openEmbeddedHarness(Number.MAX_SAFE_INTEGER - 100_000));

describe('positions from 2^32 on', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let opened: EmbeddedEventStore[];
  beforeEach(() => {
    directory = temporaryDirectory();
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    directory.remove();
  });
  const openStore = (readOnly = false): EmbeddedEventStore => {
    const store = openEmbeddedEventStore({ path: directory.path, readOnly });
    opened.push(store);
    return store;
  };

  it('continue those before, even in a block that crosses the border, for every reader', async () => {
    await startLogAt(directory.path, BORDER - 150);
    const store = openStore();
    const ids: string[] = [];
    const append = async (stream: string, count: number): Promise<bigint> => {
      const events = newEvents(count);
      ids.push(...idsOf(events));
      return (await store.append(stream, events, 'any')).position;
    };
    expect(await append('notes-1', 100)).toBe(BigInt(BORDER - 50));
    const reader = openStore(true);
    const following = follow(reader, { after: 0n });
    expect(await append('notes-1', 60)).toBe(BigInt(BORDER + 10));
    expect(await append('letters-1', 30)).toBe(BigInt(BORDER + 40));
    for (const each of [store, reader]) {
      const all = await each.readAll({ limit: 1_000 });
      expect(idsOf(all.events)).toEqual(ids);
      expect(all.position).toBe(BigInt(BORDER + 40));
      for (const after of [BORDER - 51, BORDER - 2, BORDER - 1, BORDER, BORDER + 9, BORDER + 10, BORDER + 39]) {
        const { events } = await each.readAll({ after: BigInt(after), limit: 1_000 });
        expect(events.map(({ position }) => Number(position) - after)).toEqual(
          Array.from({ length: BORDER + 40 - after }, (_, n) => n + 1),
        );
      }
      expect(idsOf(await readLog(each, ['letters', 'notes'], 7))).toEqual(ids);
      expect(await each.head(['notes'])).toBe(BigInt(BORDER + 10));
    }
    await following.until(() => following.events.length === ids.length);
    expect(idsOf(following.events)).toEqual(ids);
    await following.stop();
  });

  it('are truncated, swept and appended to again after a restart', async () => {
    await startLogAt(directory.path, BORDER - 100);
    const store = openStore();
    for (let n = 0; n < 3; n += 1) await store.append('notes-1', newEvents(100), 'any');
    await store.truncate('notes-1', 250n);
    expect(await store.sweep()).toBe(200);
    await store.close();
    const again = openStore();
    expect(revisionsOf(await readWhole(again, 'notes-1'))[0]).toBe(250);
    expect((await again.append('notes-1', newEvents(1), 299n)).position).toBe(BigInt(BORDER + 201));
    expect(await again.head()).toBe(BigInt(BORDER + 201));
    expect(await again.stats()).toMatchObject({ categories: [{ events: 101 }] });
  });

  it('end at 2^53: then nothing is appended, and the log reports that', async () => {
    await startLogAt(directory.path, Number.MAX_SAFE_INTEGER - 1);
    const store = openStore();
    await store.append('notes-1', newEvents(1), 'any');
    await expect(store.append('notes-1', newEvents(1), 'any')).rejects.toThrow('no positions left');
    expect(await store.trouble()).toBe('it has no positions left');
    expect(await readWhole(store, 'notes-1')).toHaveLength(1);
  });
});
