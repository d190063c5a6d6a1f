import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { CatchUpPages } from './catch-up-pages.js';
import { Interruptions } from './interruptions.js';
import type { LogReads } from './log-reads.js';

it('pages of the log are shared, but not past an interruption, after which the log may be another one', async () => {
  const interruptions = new Interruptions(new AbortController().signal);
  const reads: Position[] = [];
  let meanwhile = (): void => {};
  const wholePage: LogReads['wholePage'] = async (after) => {
    reads.push(after);
    meanwhile();
    return { events: [], reached: after + 10n, complete: false };
  };
  const pages = new CatchUpPages({ wholePage, reader: { interruptions } } as Pick<LogReads, 'wholePage' | 'reader'>);
  const followers = [pages.join(0n), pages.join(0n), pages.join(0n)];
  const next = () => Promise.all(followers.map((one) => pages.next(one)));

  expect(await next()).toEqual([0n, 0n, 0n].map((from) => ({ from, reached: 10n, events: [] })));
  await next();
  expect(reads).toEqual([0n]);
  interruptions.notify();
  await next();
  expect(reads).toEqual([0n, 0n]);

  // A page that was under way when it happened is nobody's.
  for (const one of followers) one.position = 20n;
  meanwhile = () => interruptions.notify();
  expect(await next()).toEqual([undefined, undefined, undefined]);
});
