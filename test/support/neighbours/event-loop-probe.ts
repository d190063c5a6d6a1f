import type { Answer, HttpClient } from '#test/support/status-client.js';

/** What a server says of itself. */
export type Vitals = Readonly<{
  /**
   * The longest time for which its event loop was busy since this was asked last, in milliseconds, to some 10 ms: collections of garbage and a
   * machine that has no time for it count as well.
   */
  pause: number;
  /** Resident memory of its process, in bytes. */
  memory: number;
}>;

/** Asks a server for its vitals. */
export const vitalsOf = async (root: HttpClient): Promise<Vitals> => {
  const { text } = await root.get('/metrics');
  return { pause: numberIn(text, 'nodejs_eventloop_lag_max_seconds') * 1_000, memory: numberIn(text, 'process_resident_memory_bytes') };
};

const numberIn = (metrics: string, name: string): number => {
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics) ?? [];
  if (value === undefined) throw new Error(`the server says nothing about ${name}`);
  return Number(value);
};

const processorSecondsOf = async (root: HttpClient): Promise<number> =>
  numberIn((await root.get('/metrics')).text, 'process_cpu_seconds_total');

/** The first of them alone. */
export const longestPause = async (root: HttpClient): Promise<number> => (await vitalsOf(root)).pause;

/** What a neighbour saw of a server while others worked. */
export type Turns = Readonly<{
  answers: number;
  /**
   * The longest processor time, in seconds, that the server took between two answers: a bound on how long its event loop was held that does not depend on
   * what else the machine has to do. Time of its other threads counts as well.
   */
  longest: number;
}>;

/** Asks a server for its processor time again and again, one call after another, until the work is done. */
export const turnsDuring = async (root: HttpClient, work: Promise<unknown>): Promise<Turns> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  let before = await processorSecondsOf(root);
  let [answers, longest] = [done ? 0 : 1, 0];
  while (!done) {
    const now = await processorSecondsOf(root);
    [answers, longest, before] = [answers + 1, Math.max(longest, now - before), now];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await ended;
  return { answers, longest };
};

/** What a neighbour had to wait for cheap answers while others worked, in milliseconds. */
export type Waited = Readonly<{ answers: number; median: number; longest: number }>;

/** Asks `/health/live`, or something else, again and again, one call after another, until the work is done. */
export const neighbourOf = async (
  root: HttpClient,
  work: Promise<unknown>,
  ask: () => Promise<Answer> = () => root.get('/health/live'),
): Promise<Waited> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  const times: number[] = [];
  while (!done) {
    const start = performance.now();
    const { status } = await ask();
    if (status !== 200) throw new Error(`the neighbour got ${status}`);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ended;
  times.sort((left, right) => left - right);
  return { answers: times.length, median: times[times.length >> 1] ?? 0, longest: times.at(-1) ?? 0 };
};
