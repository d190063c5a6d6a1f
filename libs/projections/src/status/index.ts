import type { Projection } from '../shared/projection.js';
import { datedRecordsProjection } from './dated-records.js';
import { tenantsProjection } from './tenants.js';

/** Every read model of the status service. */
export const statusProjections: readonly Projection[] = [tenantsProjection, datedRecordsProjection];
