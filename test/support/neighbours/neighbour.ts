import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtModule } from '#test/support/processes/built.js';

/**
 * What somebody who asks small things saw while others were at work. Milliseconds; memory in MiB, as the system counts it (`RssAnon`: without the pages
 * of files, which it takes back when it needs them).
 */
export type NeighbourReport = Readonly<{
  calls: number;
  typical: number;
  longest: number;
  /** How late the neighbour itself was at most, when it wanted to go on: the machine had others to serve. */
  late: number;
  memoryBefore: number;
  memoryPeak: number;
}>;

/** What the thread of a neighbour asks, of which process, with which `x-api-key` or bearer token. */
export type NeighbourTask = Readonly<{ url: string; pid: number; path: string; key?: string; token?: string }>;

/**
 * Asks for something small again and again, a few milliseconds after each answer, and watches the memory of the server: from a thread of its own, because
 * whoever attacks is busy. The wait for an answer is a bound on how long the server's event loop was held. Resolves when it has begun.
 */
export const watchNeighbour = async (task: NeighbourTask): Promise<Readonly<{ stop(): Promise<NeighbourReport> }>> => {
  const worker = new Worker(builtModule('test/support/neighbours/neighbour-thread'), { workerData: task });
  await once(worker, 'message');
  return {
    /** Asks no more. @throws when an answer was not 200 */
    stop: async () => {
      worker.postMessage('stop');
      const [report] = (await once(worker, 'message')) as [NeighbourReport | Readonly<{ failed: string }>];
      await worker.terminate();
      if ('failed' in report) throw new Error(report.failed);
      return report;
    },
  };
};

/** What a report says, in words. */
export const inWords = ({ typical, longest, late, memoryBefore, memoryPeak }: NeighbourReport): string =>
  `a neighbour waited ${typical} ms typically and ${longest} ms at most (itself ${late} ms late); memory grew by ${memoryPeak - memoryBefore} MiB`;
