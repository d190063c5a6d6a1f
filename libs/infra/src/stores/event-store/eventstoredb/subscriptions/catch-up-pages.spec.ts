import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { Interruptions } from '#infra/stores/event-store/eventstoredb/interruptions.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import { CatchUpPages } from './catch-up-pages.js';

const pagesOf10 = (read: (after: Position) => void, interruptions = new Interruptions(new AbortController().signal)) => {
  const wholePage: LogReads['wholePage'] = async (after) => {
    read(after);
    return { events: [], reached: after + 10n, complete: false };
  };
  return new CatchUpPages({ wholePage, reader: { interruptions } } as Pick<LogReads, 'wholePage' | 'reader'>);
};

it('who was left behind gets pages that are kept, but none is read for it', async () => {
  const reads: Position[] = [];
  const pages = pagesOf10((after) => reads.push(after));
  const [late, ...others] = [pages.join(0n), pages.join(20n), pages.join(20n)];
  late.isLeftBehind = true;
  expect(await Promise.all([late, ...others].map((one) => pages.next(one)))).toMatchObject([undefined, { from: 20n }, { from: 20n }]);
  late.position = 25n;
  expect(await pages.next(late)).toMatchObject({ from: 20n });
  expect(reads).toEqual([20n]);
});

it('pages of the log are shared, but not past an interruption, after which the log may be another one', async () => {
  const interruptions = new Interruptions(new AbortController().signal);
  const reads: Position[] = [];
  let meanwhile = (): void => {};
  const pages = pagesOf10((after) => {
    reads.push(after);
    meanwhile();
  }, interruptions);
  const followers = [pages.join(0n), pages.join(0n), pages.join(0n)];
  const next = () => Promise.all(followers.map((one) => pages.next(one)));

  expect(await next()).toEqual([0n, 0n, 0n].map((from) => ({ from, reached: 10n, events: [] })));
  await next();
  expect(reads).toEqual([0n]);
  interruptions.notify();
  await next();
  expect(reads).toEqual([0n, 0n]);

  // A page in progress at that moment is used by no follower.
  for (const one of followers) one.position = 20n;
  meanwhile = () => interruptions.notify();
  expect(await next()).toEqual([undefined, undefined, undefined]);
});
