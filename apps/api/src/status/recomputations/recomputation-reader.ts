import { pagesOf } from '#api/status/stored-documents.js';
import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memberLine } from '#projections/status/layout.js';
import {
  RECOMPUTATIONS_PROJECTION,
  type RecomputationDocument,
  type RecomputationTotals,
  recomputationCollections,
  totalsKey,
} from '#projections/status/recomputations/recomputations.js';

/** Reads of recomputations as they stand in a list (status contract 11). */
export class RecomputationReader {
  private readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(RECOMPUTATIONS_PROJECTION);
  }

  get(tenantId: string, id: string): Promise<Buffer | null> {
    return this.view.get(recomputationCollections.records, `${tenantId}/${id}`);
  }

  /** How many the tenant has, and their bytes in a list. */
  async totals(tenantId: string): Promise<RecomputationTotals> {
    const found = await this.view.get(recomputationCollections.totals, totalsKey(tenantId));
    return found ? (JSON.parse(found.toString('utf8')) as RecomputationTotals) : { count: 0, size: 0 };
  }

  /** In the order of their timestamps: those for the report, and those whose days include the day; each filter may be left out. */
  async *list(tenantId: string, { report, day }: Readonly<{ report?: string; day?: Day }>): AsyncGenerator<readonly Buffer[]> {
    const line = report && memberLine('report', report);
    for await (const page of pagesOf(this.view, recomputationCollections.ordered, keysUnder(tenantId))) {
      yield page.flatMap(({ value }) => ((!line || value.includes(line)) && (!day || covers(value, day)) ? [value] : []));
    }
  }
}

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));

/** Days compare as text, also where a time is no time. */
const covers = (record: Buffer, day: Day): boolean => {
  const { start_time, end_time } = JSON.parse(record.toString('utf8')) as RecomputationDocument;
  return dayPart(start_time) <= day && day <= dayPart(end_time);
};
