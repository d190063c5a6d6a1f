import type { HttpClient } from './status-client.js';

/**
 * The longest time, in milliseconds, for which the event loop of a server was busy since this was asked last: collections of garbage and a
 * machine that has no time for it count as well. To some 10 ms.
 */
export const longestPause = async (root: HttpClient): Promise<number> => {
  const { text } = await root.get('/metrics');
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error('the server does not say how late its event loop was');
  return Number(seconds) * 1_000;
};

/** What a neighbour had to wait for cheap answers while others worked, in milliseconds. */
export type Waited = Readonly<{ answers: number; median: number; longest: number }>;

/** Asks `/health/live` again and again, one call after another, until the work is done. */
export const neighbourOf = async (root: HttpClient, work: Promise<unknown>): Promise<Waited> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  const times: number[] = [];
  while (!done) {
    const start = performance.now();
    const { status } = await root.get('/health/live');
    if (status !== 200) throw new Error(`the neighbour got ${status}`);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ended;
  times.sort((left, right) => left - right);
  return { answers: times.length, median: times[times.length >> 1] ?? 0, longest: times.at(-1) ?? 0 };
};
