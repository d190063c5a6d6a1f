import type { Collection } from '#projections/shared/collection.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { repeatedMembers, users } from './documents.js';
import { type MetricDocument, metricOf, type RepeatedMembers, type StoredMetric } from './stored-metric.js';

/** Documents of a collection that pages of metrics refer to. Those of the page before are kept. */
class Referred<Document, Id> {
  private readonly read = new Map<string, Document>();

  constructor(
    private readonly view: ReadView,
    private readonly collection: Collection<Document, Id>,
  ) {}

  /** In the order of the ids. */
  async all(ids: readonly Id[]): Promise<readonly (Document | undefined)[]> {
    const { read, collection } = this;
    const keys = ids.map(collection.key);
    const wanted = new Set(keys);
    for (const key of read.keys()) if (!wanted.delete(key)) read.delete(key);
    const missing = ids.filter((_, index) => wanted.delete(keys[index] ?? ''));
    const found = missing.length > 0 ? await collection.getMany(this.view, missing) : [];
    for (const [index, one] of found.entries()) if (one !== undefined && missing[index]) read.set(collection.key(missing[index]), one);
    return keys.map((key) => read.get(key));
  }
}

/** Adds repeated members and users to pages of the metrics of a project. */
export class WholeMetrics {
  private readonly repeated: Referred<RepeatedMembers, Parameters<typeof repeatedMembers.key>[0]>;
  private readonly users: Referred<Readonly<{ userId: string | null }>, Parameters<typeof users.key>[0]>;

  constructor(
    view: ReadView,
    private readonly projectId: string,
  ) {
    this.repeated = new Referred(view, repeatedMembers);
    this.users = new Referred(view, users);
  }

  /** Metrics whose installation was deleted meanwhile are left out. */
  async of(stored: readonly StoredMetric[]): Promise<readonly MetricDocument[]> {
    const { projectId } = this;
    const ofUsers = stored.filter(({ userKey }) => userKey !== undefined);
    const [repeated, users] = await Promise.all([
      this.repeated.all(stored.map(({ installationId, repeated }) => ({ projectId, installationId, repeated }))),
      this.users.all(ofUsers.map(({ installationId, userKey = '' }) => ({ projectId, installationId, userKey }))),
    ]);
    const user = users.values();
    return stored.flatMap((metric, index) => {
      const userId = metric.userKey === undefined ? null : (user.next().value?.userId ?? null);
      const members = repeated[index];
      return members ? [metricOf(projectId, metric, members, userId)] : [];
    });
  }
}
