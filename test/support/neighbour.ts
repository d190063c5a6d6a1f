import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { httpClient } from './status-client.js';

const MIB = 1024 * 1024;

/** What somebody who asks small things saw while others were at work. Milliseconds; memory in MiB, as the system counts it (`VmRSS`). */
export type NeighbourReport = Readonly<{ calls: number; typical: number; longest: number; memoryBefore: number; memoryPeak: number }>;

/** Memory of a process that is in use now, in MiB. 0 where the system does not tell. */
export const memoryOf = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/**
 * Asks `path` again and again, a few milliseconds after each answer, and watches the memory of the server. The wait for an answer is a bound on how long
 * the server's event loop was held. `key` as `x-api-key`.
 */
export const watchNeighbour = (server: Readonly<{ url: string; pid: number }>, path: string, key?: string) => {
  const client = httpClient(server.url);
  const waits: number[] = [];
  const memoryBefore = memoryOf(server.pid);
  let memoryPeak = memoryBefore;
  let going = true;
  const asking = (async () => {
    while (going) {
      const asked = performance.now();
      const { status } = await client.get(path, key === undefined ? {} : { key });
      if (status !== 200) throw new Error(`the neighbour got ${status}`);
      waits.push(performance.now() - asked);
      memoryPeak = Math.max(memoryPeak, memoryOf(server.pid));
      await pause(5);
    }
  })();
  asking.catch(() => undefined);
  return {
    /** Asks no more. @throws when an answer was not 200 */
    stop: async (): Promise<NeighbourReport> => {
      going = false;
      await asking;
      const sorted = waits.toSorted((a, b) => a - b);
      return {
        calls: sorted.length,
        typical: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
        longest: Math.round(sorted.at(-1) ?? 0),
        memoryBefore: Math.round(memoryBefore),
        memoryPeak: Math.round(memoryPeak),
      };
    },
  };
};

/** What a report says, in words. */
export const inWords = ({ typical, longest, memoryBefore, memoryPeak }: NeighbourReport): string =>
  `a neighbour waited ${typical} ms typically and ${longest} ms at most; memory grew by ${memoryPeak - memoryBefore} MiB`;

export const mib = (count: number): number => count * MIB;
