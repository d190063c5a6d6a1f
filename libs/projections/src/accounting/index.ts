import type { Projection } from '../shared/projection.js';
import { accessProjection } from './access.js';
import { catalogueProjection } from './catalogue.js';
import { countsProjection } from './counts.js';
import { definitionsProjection } from './definitions.js';
import { usageProjection } from './usage.js';

/** Every read model of the accounting service. */
export const accountingProjections: readonly Projection[] = [
  accessProjection,
  countsProjection,
  catalogueProjection,
  definitionsProjection,
  usageProjection,
];
