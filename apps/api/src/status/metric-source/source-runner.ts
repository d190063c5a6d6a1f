import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#domain/shared/decider.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import type { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { isOutage } from '#infra/platform/program/outage.js';
import type { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { BATCH, type MetricIngestion, SourceUnusable } from './metric-ingestion.js';

type SourceRunnerDependencies = Readonly<{
  ingestion: Pick<MetricIngestion, 'next'>;
  /** Announced when the subscription may have changed, or a retry may have been requested. */
  changes: ChangeCounter;
  /** Limits the memory of all sources. */
  room: MemoryBudget;
  /** Called with the problem that blocks the source, or `null`. */
  report: (problem: string | null) => void;
  /** Called with the 1st, 2nd, 4th, 8th … of unexpected errors in a row. */
  warn: (error: unknown) => void;
}>;

/** Memory of messages: several times their size, and at least that of a batch. */
const memoryOf = (bytes: number): number => 8 * Math.max(bytes, BATCH.bytes);
/** Messages come in bursts: those that arrive within this time are processed together. */
const GATHER_MS = 50;
const pauseMs = backOff(500, 30_000);

/** Problem text for operators. Errors of stores are only named, because their texts may contain addresses. */
const problemOf = (error: unknown): string => {
  if (error instanceof SourceUnusable) return error.message;
  if (error instanceof PartitionSetAside) return 'The read model is behind an event that could not be applied';
  if (error instanceof DomainError && error.code === 'SOURCE_MOVED') return 'Another node works on the source';
  return isOutage(error) ? 'The stores cannot be reached' : 'The messages cannot be taken up: see the log of the server';
};

/** Ingests the messages of one source, batch by batch, until the signal. */
export const runSource = async (
  tenantId: string,
  source: MetricSource,
  { ingestion, changes, room, report, warn }: SourceRunnerDependencies,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  let unexpected = 0;
  while (!signal.aborted) {
    const seen = changes.count;
    try {
      let held = memoryOf(0);
      await room.take(tenantId, held, signal);
      const hold = (bytes: number): void => {
        room.add(tenantId, bytes - held);
        held = bytes;
      };
      const more = await ingestion.next(tenantId, source, (bytes) => hold(memoryOf(bytes))).finally(() => hold(0));
      report(null);
      failures = 0;
      unexpected = 0;
      if (!more) continue;
      await oneOf([more, (either) => changes.since(seen, either)], signal);
      await sleep(GATHER_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      report(problemOf(error));
      if (error instanceof SourceUnusable) unexpected = 0;
      else if (isLogged(++unexpected)) warn(error);
      await pauseAfter(error, failures, changes, seen, signal);
    }
  }
};

/** Pause after a failure. A problem that only a change can solve is checked again after the next change, and from time to time. */
const pauseAfter = async (error: unknown, failures: number, changes: ChangeCounter, seen: number, signal: AbortSignal): Promise<void> => {
  const waits: Wait[] = [(either) => sleep(pauseMs(failures), undefined, { signal: either })];
  if (error instanceof SourceUnusable)
    waits.push((either) => changes.since(seen, either).then(() => sleep(GATHER_MS, undefined, { signal: either })));
  await oneOf(waits, signal);
};

type Wait = (signal: AbortSignal) => Promise<void>;

/** Resolves after the first of these waits, or on the signal; then none goes on. */
const oneOf = async (waits: readonly Wait[], signal: AbortSignal): Promise<void> => {
  const over = new AbortController();
  const end = (): void => over.abort();
  // Not `AbortSignal.any`: a source lives long, and would accumulate the combined signals.
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const waiting = waits.map((wait) => wait(over.signal));
  await Promise.race(waiting).catch(() => undefined);
  end();
  signal.removeEventListener('abort', end);
  await Promise.allSettled(waiting);
};
