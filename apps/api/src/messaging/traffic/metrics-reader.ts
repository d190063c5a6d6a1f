import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceCounts, type TotalsDocument } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** How many there are of everything. */
export class MetricsReader {
  private readonly resources: ResourceCounts;

  constructor(store: ReadStore) {
    this.resources = new ResourceCounts(store);
  }

  totals({ projectId }: ProjectReference): Promise<TotalsDocument> {
    return this.resources.totals(projectId);
  }

  /** How many topics or subscriptions of a project have a user in their ACL, by the user's id. */
  accessible({ projectId }: ProjectReference, kind: 'topics' | 'subscriptions'): Promise<ReadonlyMap<string, number>> {
    const slice = new TimeSlice();
    return kind === 'topics' ? this.resources.topicsByUser(projectId, slice) : this.resources.subscriptionsByUser(projectId, slice);
  }

  /** How many topics and subscriptions a project has that were created from one day to another, both included. */
  createdBetween(projectId: string, first: Day, last: Day): Promise<TotalsDocument> {
    return this.resources.createdBetween(projectId, first, last, new TimeSlice());
  }
}
