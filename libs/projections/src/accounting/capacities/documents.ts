import type { InstallationRef } from '#projections/accounting/metrics/documents.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart } from '#projections/shared/partitions.js';
import { type CapacityDocument, capacitiesCodec } from './codec.js';

/** The capacities of an installation in order of creation. */
export const capacities = collection<readonly CapacityDocument[], InstallationRef>('capacities', {
  key: ({ projectId, installationId }) => keyOf(projectId, installationId),
  codec: capacitiesCodec,
  owner: firstPart(PROJECT),
});
