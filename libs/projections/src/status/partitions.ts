import { categoryOf } from '#domain/shared/events.js';
import { byMember, firstPart, ownedBy, type Partitioning, partitionOf } from '#projections/shared/partitions.js';

const TENANT = 'tenant';

/** Keys that begin with the tenant. */
export const tenantFirst = firstPart(TENANT);

/** The tenant in the names of streams: `<category>-<tenant>`, or `<category>-<tenant>.<something>`. */
const tenantIn = (stream: string): string => stream.slice(stream.indexOf('-') + 1).split('.', 1)[0] ?? '';

/**
 * Everything of a tenant is one partition.
 * @param streams categories whose streams are named by the tenant; the data of other events have its id
 * @param collections those whose keys begin with the tenant
 */
export const byTenant = (streams: readonly string[], collections: readonly string[]): Partitioning => {
  const named = new Set(streams);
  return {
    ofEvent: (event) => {
      const told = byMember(event, { tenantId: TENANT });
      if (told.length > 0 || !named.has(categoryOf(event.stream))) return told;
      const inStream = partitionOf(TENANT, tenantIn(event.stream));
      return inStream === undefined ? [] : [inStream];
    },
    owners: ownedBy(tenantFirst, collections),
  };
};
