import { DATED_RECORDS } from '#projections/status/dated-records/documents.js';
import { DAY_LISTS } from '#projections/status/day-lists/documents.js';
import { RESULTS } from '#projections/status/metric-results/documents.js';
import { RECOMPUTATIONS } from '#projections/status/recomputations/documents.js';
import { REPORTS } from '#projections/status/reports/documents.js';

/** Read models from which the configuration of a day is read. */
export const CONFIGURATION_SOURCES: readonly string[] = [DATED_RECORDS, DAY_LISTS, RECOMPUTATIONS, REPORTS];

/** Read models from which statuses are computed. */
export const STATUS_SOURCES: readonly string[] = [RESULTS, ...CONFIGURATION_SOURCES];
