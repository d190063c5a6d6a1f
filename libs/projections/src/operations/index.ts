import type { Projection } from '#projections/shared/projection.js';
import { accessKeysProjection } from './access-keys/projection.js';
import { certificatesProjection } from './certificates/projection.js';
import { subjectsProjection } from './subjects/projection.js';

/** Every read model of the operations. */
export const operationsProjections: readonly Projection[] = [accessKeysProjection, certificatesProjection, subjectsProjection];
