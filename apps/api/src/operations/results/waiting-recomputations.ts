import { Inject, Injectable } from '@nestjs/common';
import { FirstItems } from '#api/operations/messaging/leading.js';
import { RefreshedValue } from '#api/ops-kit/refreshed.js';
import type { Actor } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { RecomputationQueries, type WaitingRecomputation } from '#projections/status/recomputations/queries.js';

/** `askedBy`: actor of the request. */
export type AskedFor = WaitingRecomputation & Readonly<{ askedBy: Actor | null }>;

/** Recomputations that wait, those with the newest status first. `total`: number of all. */
type Waiting = Readonly<{ items: readonly AskedFor[]; total: number }>;

/** Minimum pause between two looks. */
const LOOK_MS = 1_000;
const MOST_LISTED = 100;

const newestFirst = (one: WaitingRecomputation, other: WaitingRecomputation): number =>
  one.since === other.since ? Number(one.id > other.id) - Number(one.id < other.id) : one.since < other.since ? 1 : -1;

/** Recomputations of all tenants that wait for approval or for their turn. */
@Injectable()
export class WaitingRecomputations {
  private readonly latest: RefreshedValue<Waiting>;

  constructor(@Inject(RecomputationQueries) private readonly queries: Pick<RecomputationQueries, 'waiting' | 'requesters'>) {
    this.latest = new RefreshedValue(() => readAcross(() => this.look()), LOOK_MS);
  }

  /** Never throws. `null` while the first look goes on. */
  newest(): Promise<Waiting | null> {
    return this.latest.newest();
  }

  private async look(): Promise<Waiting> {
    const newest = new FirstItems<WaitingRecomputation>(MOST_LISTED, newestFirst);
    for await (const page of this.queries.waiting(new TimeSlice())) newest.add(page);
    const { first, total } = newest;
    const requesters = await this.queries.requesters(first);
    return { items: first.map((one, at) => ({ ...one, askedBy: requesters[at] ?? null })), total };
  }
}
