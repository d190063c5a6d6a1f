import type { Day } from '#domain/shared/time.js';
import type { GroupDay } from '#domain/status/results/results.js';
import type { ComputedDay } from './compute-day.js';
import type { Memory } from './memory.js';

type DayKey = Readonly<{ tenantId: string; reportId: string; day: Day }>;

/** Cache of the results of days. The stamp identifies their inputs: results with another stamp are not returned. Lost ones are computed again. */
export interface DayStore {
  get(key: DayKey, stamp: string): Promise<ComputedDay | undefined>;
  put(key: DayKey, stamp: string, day: ComputedDay): Promise<void>;
}

const STEP_BYTES = 40;
const METRIC_BYTES = 200;
const ROW_BYTES = 250;

/** Approximate memory of a group's results. */
const bytesOf = ({ services, timeline }: GroupDay): number => {
  let bytes = ROW_BYTES + STEP_BYTES * timeline.length;
  for (const service of services) {
    bytes += ROW_BYTES + STEP_BYTES * service.timeline.length;
    for (const endpoint of service.endpoints)
      bytes += ROW_BYTES + STEP_BYTES * endpoint.timeline.length + METRIC_BYTES * endpoint.metrics.length;
  }
  return bytes;
};

/** Approximate memory of results. */
export const memoryOf = ({ day: { groups } }: ComputedDay): number => groups.reduce((sum, group) => sum + bytesOf(group), ROW_BYTES);

type Stamped = Readonly<{ stamp: string; computed: ComputedDay }>;

const nameOf = ({ tenantId, reportId, day }: DayKey): string => `day/${tenantId}/${reportId}/${day}`;

/** Keeps results in memory while there is room, only the latest ones of each day. */
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
