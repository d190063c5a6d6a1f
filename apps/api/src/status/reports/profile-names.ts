import type { Day } from '#domain/shared/time.js';
import type { AnyDated } from '#domain/status/dated-records/dated-records.js';
import { datedResources } from '#domain/status/index.js';
import { type ProfileReference, profileKind } from '#domain/status/reports/reports.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';

/** A profile that a report refers to, as in calls. */
export type NamedProfile = Readonly<{ id: string; type: string }>;

/** The names of the profiles that reports refer to. */
export class ProfileNames {
  private readonly byKind: ReadonlyMap<AnyDated, DatedQueries>;

  constructor(store: ReadStore) {
    this.byKind = new Map(datedResources.map((kind) => [kind, new DatedQueries(store, kind)]));
  }

  /** Adds names to profiles: those of the snapshots of the day, or else of the newest. */
  async resolve(tenantId: string, profiles: readonly NamedProfile[], day: Day): Promise<readonly ProfileReference[]> {
    const resolved: ProfileReference[] = [];
    for (const { id, type } of profiles) {
      const kind = profileKind(type);
      const name = kind && (await this.byKind.get(kind)?.referencedName({ tenantId, id }, day)); // one by one, because each may be large
      resolved.push({ id, type, name });
    }
    return resolved;
  }
}
