import type { Day } from '#domain/shared/time.js';
import type { GroupDay } from '#domain/status/results/results.js';
import type { ComputedDay } from './compute-day.js';
import type { Memory } from './memory.js';

/** A day of a report. */
type DayKey = Readonly<{ tenantId: string; reportId: string; day: Day }>;

/**
 * Where results of days are kept. They are no truth of their own: the stamp says what they were computed from, and results with another stamp are
 * nothing. What is lost is computed anew.
 */
export interface DayStore {
  get(key: DayKey, stamp: string): Promise<ComputedDay | undefined>;
  put(key: DayKey, stamp: string, day: ComputedDay): Promise<void>;
}

const STEP_BYTES = 40;
const METRIC_BYTES = 200;
const ROW_BYTES = 250;

/** About what the results of a group take in memory. */
const bytesOf = ({ services, timeline }: GroupDay): number => {
  let bytes = ROW_BYTES + STEP_BYTES * timeline.length;
  for (const service of services) {
    bytes += ROW_BYTES + STEP_BYTES * service.timeline.length;
    for (const endpoint of service.endpoints)
      bytes += ROW_BYTES + STEP_BYTES * endpoint.timeline.length + METRIC_BYTES * endpoint.metrics.length;
  }
  return bytes;
};

/** About what results take in memory. */
export const memoryOf = ({ day: { groups } }: ComputedDay): number => groups.reduce((sum, group) => sum + bytesOf(group), ROW_BYTES);

type Stamped = Readonly<{ stamp: string; computed: ComputedDay }>;

const nameOf = ({ tenantId, reportId, day }: DayKey): string => `day/${tenantId}/${reportId}/${day}`;

/** Keeps what there is room for in memory; of a day only the last results. */
export class MemoryDayStore implements DayStore {
  constructor(private readonly memory: Memory) {}

  async get(key: DayKey, stamp: string): Promise<ComputedDay | undefined> {
    const known = this.memory.get(nameOf(key)) as Stamped | undefined;
    return known?.stamp === stamp ? known.computed : undefined;
  }

  async put(key: DayKey, stamp: string, computed: ComputedDay): Promise<void> {
    this.memory.set(nameOf(key), { stamp, computed } satisfies Stamped, memoryOf(computed));
  }
}
