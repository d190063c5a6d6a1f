import type { Effort, Side } from './scenario.js';

/** Does something over and over in this process for one slice, `inFlight` at a time. `once` is given the number of its loop. */
export const loop =
  (effort: Effort, inFlight: number, once: (loop: number) => Promise<unknown>): Side =>
  async () => {
    const started = performance.now();
    const end = started + effort.sliceSeconds * 1000;
    let done = 0;
    const run = async (number: number): Promise<void> => {
      for (; performance.now() < end; done++) await once(number);
    };
    await Promise.all(Array.from({ length: inFlight }, (_, number) => run(number)));
    return { perSecond: (done * 1000) / (performance.now() - started) };
  };

/** Does something that handles a known number of things, once for each slice. */
export const pass =
  (work: () => Promise<number>): Side =>
  async () => {
    const started = performance.now();
    const things = await work();
    return { perSecond: (things * 1000) / (performance.now() - started) };
  };
