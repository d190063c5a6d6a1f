import { accessProjection } from '#projections/accounting/access/projection.js';
import { catalogueProjection } from '#projections/accounting/catalogue/projection.js';
import { countsProjection } from '#projections/accounting/counts/projection.js';
import { definitionsProjection } from '#projections/accounting/definitions/projection.js';
import type { Projection } from '#projections/shared/projection.js';
import { metricsProjection } from './usage-projection.js';

export const accountingProjections: readonly Projection[] = [
  accessProjection,
  countsProjection,
  catalogueProjection,
  definitionsProjection,
  metricsProjection,
];
