import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memberLine } from '#projections/status/layout.js';
import { RECOMPUTATIONS_PROJECTION, type RecomputationDocument, recomputationCollections } from '#projections/status/recomputations.js';

/** Reads of recomputations as they stand in a list (status contract 11). */
export class RecomputationReader {
  private readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(RECOMPUTATIONS_PROJECTION);
  }

  get(tenantId: string, id: string): Promise<Buffer | null> {
    return this.view.get(recomputationCollections.records, `${tenantId}/${id}`);
  }

  /** In the order of their timestamps: those for the report, and those whose days include the day; each filter may be left out. */
  async list(tenantId: string, { report, day }: Readonly<{ report?: string; day?: Day }>): Promise<readonly Buffer[]> {
    const stored = await this.view.range(recomputationCollections.ordered, keysUnder(tenantId));
    const line = report && memberLine('report', report);
    return stored.flatMap(({ value }) => ((!line || value.includes(line)) && (!day || covers(value, day)) ? [value] : []));
  }
}

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));

/** Days compare as text, also where a time is no time. */
const covers = (record: Buffer, day: Day): boolean => {
  const { start_time, end_time } = JSON.parse(record.toString('utf8')) as RecomputationDocument;
  return dayPart(start_time) <= day && day <= dayPart(end_time);
};
