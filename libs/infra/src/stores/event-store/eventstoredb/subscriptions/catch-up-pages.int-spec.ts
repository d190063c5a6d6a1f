import { describe, expect, it } from '@jest/globals';
import type { NewEvent } from '#domain/shared/events.js';
import { idsOf, newEvents } from '#test/contracts/event-store/fixture.js';
import { follow, openStore, startTestServer } from '#test/support/eventstoredb/store-lab.js';

const CATEGORIES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const EACH = 1_500;
const APPEND = 50;

/** A log in which categories alternate. */
const filled = async () => {
  const server = await startTestServer();
  const store = openStore(server);
  const written = new Map<string, NewEvent[]>(CATEGORIES.map((category) => [category, []]));
  for (let from = 0; from < EACH; from += APPEND)
    for (const category of CATEGORIES) {
      const events = newEvents(APPEND, from);
      await store.append(`${category}-1`, events, from === 0 ? 'no-stream' : BigInt(from - 1));
      written.get(category)?.push(...events);
    }
  return { server, store, idsIn: (category: string) => idsOf(written.get(category) ?? []) };
};

describe('followers that catch up together', () => {
  it('get what each of them wants, while the log is read about once', async () => {
    const { server, store, idsIn } = await filled();
    const before = server.searched();
    const followers = CATEGORIES.map((category) => ({ category, follower: follow(store, 0n, [category]) }));
    await Promise.all(followers.map(({ follower }) => follower.caughtUp()));
    for (const { category, follower } of followers) expect(idsOf(follower.events)).toEqual(idsIn(category));
    // Twice, because followers that start together each look for a first page; eight times if each searched the log.
    expect(server.searched() - before).toBeLessThan(3 * CATEGORIES.length * EACH);
  });

  it('are found a few events in one search of the log', async () => {
    const { server, store } = await filled();
    const rare = ['nine', 'ten', 'eleven'];
    for (const category of rare) await store.append(`${category}-1`, newEvents(2), 'no-stream');
    const before = server.searched();
    const followers = rare.map((category) => follow(store, 0n, [category]));
    await Promise.all(followers.map((follower) => follower.caughtUp()));
    for (const follower of followers) expect(follower.events).toHaveLength(2);
    expect(server.searched() - before).toBeLessThan(2 * CATEGORIES.length * EACH);
  });

  it('do not wait for one that stands still', async () => {
    const { server, store, idsIn } = await filled();
    const abort = new AbortController();
    let goOn = (): void => {};
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const seen: string[] = [];
    const slow = (async () => {
      for await (const batch of store.subscribeAll({ after: 0n, categories: ['one'], signal: abort.signal })) {
        seen.push(...idsOf(batch.events));
        await mayGoOn;
        if (batch.caughtUp) return;
      }
    })();
    const followers = CATEGORIES.map((category) => ({ category, follower: follow(store, 0n, [category]) }));
    await Promise.all(followers.map(({ follower }) => follower.caughtUp()));
    for (const { category, follower } of followers) expect(idsOf(follower.events)).toEqual(idsIn(category));
    expect(seen.length).toBeLessThan(EACH);
    goOn();
    await slow;
    expect(seen).toEqual(idsIn('one'));
    await server.restart();
  });

  it('start where each of them stands, and lose nothing through a restart of the server', async () => {
    const { server, store, idsIn } = await filled();
    const [batch] = [await store.readAll({ limit: 3_000 })];
    const positions = CATEGORIES.map((_, index) => batch.events[index * 400]?.position ?? 0n);
    const followers = CATEGORIES.map((category, index) => ({ category, index, follower: follow(store, positions[index], [category]) }));
    await server.restart();
    await Promise.all(followers.map(({ follower }) => follower.caughtUp()));
    for (const { category, index, follower } of followers) {
      const skipped = batch.events.slice(0, index * 400 + 1).filter(({ stream }) => stream === `${category}-1`).length;
      expect(idsOf(follower.events)).toEqual(idsIn(category).slice(skipped));
    }
  });
});
