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

/** Asks a server again and again, one call after another, until the work is done: its answers are turns that the work left to a neighbour. */
export const turnsDuring = async (root: HttpClient, work: Promise<unknown>): Promise<number> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  let answers = 0;
  while (!done) {
    await root.get('/health/live');
    answers += 1;
  }
  await ended;
  return answers;
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
