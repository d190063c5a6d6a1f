import type { Feature } from '#api/shared/feature.js';
import { answerSourcesProvider, controllerOf, type ReadTable } from './reads.js';
import { resultsProviders } from './results/reader-providers.js';
import { RESULTS_V2, RESULTS_V5 } from './results/reads.js';
import { RESULTS_V3 } from './results/reads-v3.js';
import { FLAT_TIMELINES, TIMELINES_V2, TIMELINES_V3 } from './timelines/reads.js';
import { TIMELINES_V5 } from './timelines/reads-v5.js';
import { TRENDS } from './trends/reads.js';
import { GROUPS_V4, NODES_V4 } from './v4/reads.js';

/** All tables, in the order of routes and description. FLAT_TIMELINES says why it precedes TIMELINES_V2. */
export const REPORT_READS: readonly ReadTable[] = [
  FLAT_TIMELINES,
  TIMELINES_V2,
  TIMELINES_V3,
  RESULTS_V2,
  RESULTS_V3,
  TRENDS,
  GROUPS_V4,
  NODES_V4,
  RESULTS_V5,
  TIMELINES_V5,
];

export const reportReadsFeature: Feature = {
  controllers: REPORT_READS.map(controllerOf),
  providers: [...resultsProviders, answerSourcesProvider],
};
