import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import { reportsOf } from '#infra/platform/coordination/work-lease.js';
import type { ReadStore } from '#projections/shared/read-store.js';

export const RUNS_LEASE: LeaseKey = { name: 'status.recomputation-runs', collection: 'lease', key: 'holder' };

/** Maximum number of listed runs. */
const MOST_LISTED = 1_000;

/** A running recomputation. Instants are `YYYY-MM-DDTHH:MM:SS.sssZ`, days `YYYY-MM-DD`. */
export type RecomputationRun = Readonly<{
  tenantId: string;
  /** Id of the recomputation. */
  id: string;
  /** Name of the report. */
  report: string;
  startTime: string;
  endTime: string;
  startedAt: string;
  /** Days with results computed so far, newest first. */
  days: number;
  /** All days from this one on have been computed; `null` if none have. */
  reached: string | null;
}>;

/** Running recomputations on all nodes, as of a moment ago. */
@Injectable()
export class RunProgress {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  /** By tenant and id; the first thousand. @throws ReadStoreUnavailable */
  async list(): Promise<readonly RecomputationRun[]> {
    return (await reportsOf(this.store, RUNS_LEASE, MOST_LISTED)) as readonly RecomputationRun[];
  }
}
