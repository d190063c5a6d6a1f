import { categoryOf } from '#domain/shared/events.js';
import { byMember, firstPart, type PartitionsOf, partitionOf } from '#projections/shared/partitions.js';

const TENANT = 'tenant';

/** Keys that start with the tenant. */
export const tenantFirst = firstPart(TENANT);

/** The tenant in a stream name: `<category>-<tenant>`, or `<category>-<tenant>.<something>`. */
const tenantIn = (stream: string): string => stream.slice(stream.indexOf('-') + 1).split('.', 1)[0] ?? '';

/**
 * Puts all events of a tenant into one partition, for `partitionsOf` of read models.
 * @param streams categories with the tenant in the stream name; other events have its id in the data
 */
export const tenantPartitionsOf = (streams: readonly string[]): PartitionsOf => {
  const named = new Set(streams);
  return (event) => {
    const inData = byMember(event, { tenantId: TENANT });
    if (inData.length > 0 || !named.has(categoryOf(event.stream))) return inData;
    const inStream = partitionOf(TENANT, tenantIn(event.stream));
    return inStream === undefined ? [] : [inStream];
  };
};
