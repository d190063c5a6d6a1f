import { categoryOf } from '#domain/shared/events.js';
import { byMember, firstPart, type Partitioning, partitionOf } from '#projections/shared/partitions.js';

const TENANT = 'tenant';

/** Keys that begin with the tenant. */
export const tenantFirst = firstPart(TENANT);

/** The tenant in the names of streams: `<category>-<tenant>`, or `<category>-<tenant>.<something>`. */
const tenantIn = (stream: string): string => stream.slice(stream.indexOf('-') + 1).split('.', 1)[0] ?? '';

/**
 * Everything of a tenant is one partition: for `partitionsOf` of read models.
 * @param streams categories whose streams are named by the tenant; the data of other events have its id
 */
export const tenantPartitionsOf = (streams: readonly string[]): Partitioning['ofEvent'] => {
  const named = new Set(streams);
  return (event) => {
    const inData = byMember(event, { tenantId: TENANT });
    if (inData.length > 0 || !named.has(categoryOf(event.stream))) return inData;
    const inStream = partitionOf(TENANT, tenantIn(event.stream));
    return inStream === undefined ? [] : [inStream];
  };
};
