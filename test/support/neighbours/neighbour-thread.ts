import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { httpClient } from '#test/support/status-client.js';
import type { NeighbourReport, NeighbourTask } from './neighbour.js';

/** Milliseconds between an answer and the next question. */
const PAUSE = 5;

/** Memory of a process in MiB; 0 where the system does not tell. */
const memoryOf = (pid: number): number => {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

const ask = async (stopped: AbortSignal, { url, pid, path, key, token }: NeighbourTask): Promise<NeighbourReport> => {
  const client = httpClient(url);
  const headers: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const waits: number[] = [];
  const memoryBefore = memoryOf(pid);
  let memoryPeak = memoryBefore;
  let late = 0;
  while (!stopped.aborted) {
    const asked = performance.now();
    const { status } = await client.get(path, { key, headers });
    if (status !== 200) throw new Error(`the neighbour got ${status}`);
    waits.push(performance.now() - asked);
    memoryPeak = Math.max(memoryPeak, memoryOf(pid));
    const paused = performance.now();
    await pause(PAUSE);
    late = Math.max(late, performance.now() - paused - PAUSE);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  return {
    calls: sorted.length,
    typical: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
    longest: Math.round(sorted.at(-1) ?? 0),
    late: Math.round(late),
    memoryBefore: Math.round(memoryBefore),
    memoryPeak: Math.round(memoryPeak),
  };
};

const stop = new AbortController();
if (parentPort) {
  const port = parentPort;
  const report = ask(stop.signal, workerData as NeighbourTask).catch((error: Error) => ({ failed: error.message }));
  port.postMessage('begun');
  await once(port, 'message');
  stop.abort();
  port.postMessage(await report);
}
