import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import { reportsOf } from '#infra/platform/coordination/work-lease.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Of the node that runs recomputations. */
export const RUNS_LEASE: LeaseKey = { name: 'status.recomputation-runs', collection: 'lease', key: 'holder' };

/** Most runs that are listed. */
const MOST_LISTED = 1_000;

/** A recomputation that is being run. Instants are `YYYY-MM-DDTHH:MM:SS.sssZ`, days `YYYY-MM-DD`. */
export type RecomputationRun = Readonly<{
  tenantId: string;
  /** Of the recomputation. */
  id: string;
  /** Name of the report. */
  report: string;
  startTime: string;
  endTime: string;
  startedAt: string;
  /** Days with results that have been computed so far, the newest first. */
  days: number;
  /** Everything from this day on has been computed; `null`: nothing yet. */
  reached: string | null;
}>;

/** The recomputations that are being run, on whichever node, as they were a moment ago. */
@Injectable()
export class RunProgress {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  /** By tenant and id; the first thousand. @throws ReadStoreUnavailable */
  async list(): Promise<readonly RecomputationRun[]> {
    return (await reportsOf(this.store, RUNS_LEASE, MOST_LISTED)) as readonly RecomputationRun[];
  }
}
