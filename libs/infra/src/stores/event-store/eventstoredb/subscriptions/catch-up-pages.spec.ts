import { expect, it } from '@jest/globals';
import type { CategoryFilter } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { Interruptions } from '#infra/stores/event-store/eventstoredb/interruptions.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import { until } from '#test/support/eventually.js';
import { type CatchingUp, CatchUpPages } from './catch-up-pages.js';

const pagesOf10 = (
  read: (after: Position, categories?: CategoryFilter) => void,
  interruptions = new Interruptions(new AbortController().signal),
  end = Number.POSITIVE_INFINITY,
) => {
  const storedPage: LogReads['storedPage'] = async ({ after, categories }) => {
    read(after, categories);
    return { events: [], position: after + 10n, caughtUp: after + 10n >= end };
  };
  return new CatchUpPages({ storedPage, reader: { interruptions } } as Pick<LogReads, 'storedPage' | 'reader'>);
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

  expect(await next()).toEqual([0n, 0n, 0n].map((from) => ({ from, reached: 10n, caughtUp: false, categories: undefined, events: [] })));
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

it('the last page of the log is shared, but not what is appended after it, however fast', async () => {
  const reads: Position[] = [];
  const pages = pagesOf10((after) => reads.push(after), undefined, 20);
  const followers = [pages.join(0n), pages.join(0n), pages.join(0n)];
  const next = () => Promise.all(followers.map((one) => pages.next(one)));
  const move = (position: Position) => followers.map((one) => Object.assign(one, { position }));
  expect(await next()).toMatchObject([{ caughtUp: false }, { caughtUp: false }, { caughtUp: false }]);
  move(10n);
  expect(await next()).toMatchObject([{ caughtUp: true }, { caughtUp: true }, { caughtUp: true }]);
  move(20n);
  expect(await next()).toEqual([undefined, undefined, undefined]);
  expect(reads).toEqual([0n, 10n]);
});

it('a page has what any of them wants, and goes only to those whose events it has', async () => {
  const reads: unknown[] = [];
  const pages = pagesOf10((after, categories) => reads.push([after, categories]));
  const join = (...categories: readonly string[]) => pages.join(0n, categories);
  const early = [join('b'), join('a', 'b'), join('c')];
  const next = (followers: readonly CatchingUp[]) => Promise.all(followers.map((one) => pages.next(one)));
  const categories = new Set(['a', 'b', 'c']);
  expect(await next(early)).toEqual(early.map(() => ({ from: 0n, reached: 10n, caughtUp: false, categories, events: [] })));

  expect(await next([join('d')])).toMatchObject([{ categories: new Set(['a', 'b', 'c', 'd']) }]);
  expect(await next([pages.join(0n)])).toMatchObject([{ categories: undefined }]);
  expect(reads).toEqual([
    [0n, ['a', 'b', 'c']],
    [0n, ['a', 'b', 'c', 'd']],
    [0n, undefined],
  ]);
});

it('a search that has just begun begins anew for one that joins, and ends when all have left', async () => {
  const searches: { categories: CategoryFilter | undefined; found: () => void; signal: AbortSignal | undefined }[] = [];
  const storedPage: LogReads['storedPage'] = ({ after, categories }, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      searches.push({ categories, found: () => resolve({ events: [], position: after + 10n, caughtUp: false }), signal });
    });
  const reader = { interruptions: new Interruptions(new AbortController().signal) };
  const pages = new CatchUpPages({ storedPage, reader } as Pick<LogReads, 'storedPage' | 'reader'>);
  const followers = ['a', 'b', 'c'].map((name) => pages.join(0n, [name]));
  const first = followers.map((one) => pages.next(one));
  await until(() => searches.length === 1);
  const late = pages.join(0n, ['d']);
  const all = [...first, pages.next(late)];
  await until(() => searches.length === 2);
  expect(searches.map(({ categories, signal }) => [categories, signal?.aborted])).toEqual([
    [['a', 'b', 'c'], true],
    [['a', 'b', 'c', 'd'], false],
  ]);
  searches[1]?.found();
  expect(await Promise.all(all)).toMatchObject(all.map(() => ({ reached: 10n })));

  late.position = 10n;
  const last = pages.next(late);
  late.leave();
  expect(await last).toBeUndefined();
  expect(searches[2]?.signal?.aborted).toBe(false);
  for (const one of followers) one.leave();
  expect(searches[2]?.signal?.aborted).toBe(true);
});
