import type { Projection } from '#projections/shared/projection.js';
import { accessKeysProjection } from './access-keys/projection.js';
import { certificatesProjection } from './certificates/projection.js';
import { subjectsProjection } from './subjects/projection.js';

export const operationsProjections: readonly Projection[] = [accessKeysProjection, certificatesProjection, subjectsProjection];
