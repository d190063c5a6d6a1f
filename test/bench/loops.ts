import type { Effort, Sample, Side } from './scenario.js';

/** `work` returns how many things it did. The CPU time is that of this process. */
const measured = async (work: () => Promise<number>): Promise<Sample> => {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perSecond: (done * 1000) / (performance.now() - started), cpuMicros: (user + system) / done };
};

/** Does something over and over in this process for one slice, `inFlight` at a time. `once` is given the number of its loop. */
export const loop =
  (effort: Effort, inFlight: number, once: (loop: number) => Promise<unknown>): Side =>
  () =>
    measured(async () => {
      const end = performance.now() + effort.sliceSeconds * 1000;
      let done = 0;
      const run = async (number: number): Promise<void> => {
        for (; performance.now() < end; done++) await once(number);
      };
      await Promise.all(Array.from({ length: inFlight }, (_, number) => run(number)));
      return done;
    });

/** Does something in this process that handles a known number of things, once for each slice. */
export const pass =
  (work: () => Promise<number>): Side =>
  () =>
    measured(work);
