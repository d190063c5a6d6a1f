import type { Actor } from '#domain/shared/events.js';
import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { observedQueriesOf } from '#projections/shared/queries.js';
import {
  type DueRecomputation,
  type InForceDocument,
  RECOMPUTATIONS,
  type RecomputationDocument,
  type RecomputationId,
  type RecomputationTotals,
  recomputationCollections,
  type WaitingRecomputation,
} from './documents.js';

export type {
  DueRecomputation,
  InForceDocument,
  RecomputationDocument,
  RecomputationId,
  RecomputationTotals,
  WaitingRecomputation,
} from './documents.js';

const { records, ordered, due, inForce, totals, requesters, waiting } = recomputationCollections;

/** `report`: only recomputations for the report with this name. `day`: only those whose days include it. */
type RecomputationFilter = Readonly<{ report?: string; day?: Day }>;

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));

/** Days are compared as text, even if a time is invalid. */
const passes = ({ report, start_time, end_time }: RecomputationDocument, wanted: RecomputationFilter): boolean =>
  (!wanted.report || report === wanted.report) && (!wanted.day || (dayPart(start_time) <= wanted.day && wanted.day <= dayPart(end_time)));

/** Queries of recomputations (status contract 11). Calls other than {@link RecomputationQueries.due}, {@link RecomputationQueries.waiting} and {@link RecomputationQueries.requesters} read one tenant only. */
export class RecomputationQueries extends observedQueriesOf(RECOMPUTATIONS) {
  recomputation(id: RecomputationId): Promise<RecomputationDocument | undefined> {
    return records.get(this.view, id);
  }

  async totals(tenantId: string): Promise<RecomputationTotals> {
    return (await totals.get(this.view, tenantId)) ?? { count: 0, size: 0 };
  }

  /** The tenant's recomputations in the format of a list, ordered by timestamp, in pages. */
  async *list(tenantId: string, filter: RecomputationFilter, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    const unfiltered = !filter.report && !filter.day;
    for await (const page of pagesOf(this.view, ordered.name, keysUnder(tenantId), { slice })) {
      yield page.flatMap(({ value }) => (unfiltered || passes(ordered.parse(value), filter) ? [value] : []));
    }
  }

  /** Approved and running recomputations of all tenants, by tenant, in pages. */
  async *due(slice: Slice): AsyncGenerator<readonly DueRecomputation[]> {
    for await (const page of pagesOf(this.view, due.name, {}, { slice })) yield page.map(({ value }) => due.parse(value));
  }

  /** Pending and approved recomputations of all tenants, by tenant, in pages. */
  async *waiting(slice: Slice): AsyncGenerator<readonly WaitingRecomputation[]> {
    for await (const page of pagesOf(this.view, waiting.name, {}, { slice })) yield page.map(({ value }) => waiting.parse(value));
  }

  /** Actors that asked for recomputations, in the order of the ids. */
  requesters(ids: readonly RecomputationId[]): Promise<readonly (Actor | undefined)[]> {
    return requesters.getMany(this.view, ids);
  }

  /** `undefined`: the recomputation is neither approved nor running. */
  dueOne(id: RecomputationId): Promise<DueRecomputation | undefined> {
    return due.get(this.view, id);
  }

  /** Recomputations in force for the report with this name, in order of requests. `bytes`: as stored. */
  async *inForce(tenantId: string, report: string, slice: Slice): AsyncGenerator<Readonly<{ document: InForceDocument; bytes: Buffer }>> {
    for await (const page of pagesOf(this.view, inForce.name, keysUnder(tenantId, report), { slice })) {
      for (const { value } of page) yield { document: inForce.parse(value), bytes: value };
    }
  }
}
