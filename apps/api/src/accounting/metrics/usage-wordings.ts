import * as errors from '#api/accounting/errors.js';
import { detail, type Wordings } from '#api/accounting/wording.js';

/** Broken rules of metrics and capacities. */
export const usageWordings: Wordings = {
  METRIC_NOT_FOUND: (details) => errors.metricNotFound(detail(details, 'metricId')),
  METRIC_TIMESTAMP_MISSING: (details) => errors.missing(detail(details, 'field')),
  METRIC_TIMESTAMP_MALFORMED: (details) => errors.badTimestamp(detail(details, 'field'), detail(details, 'value')),
  METRIC_PERIOD_IN_FUTURE: errors.futureTimestamp,
  METRIC_PERIOD_EMPTY: errors.equalTimestamps,
  METRIC_PERIOD_REVERSED: errors.startAfterEnd,
  METRIC_END_BEFORE_START: errors.endBeforeStart,
  CAPACITY_NOT_FOUND: (details) => errors.capacityNotFound(detail(details, 'capacityId')),
  CAPACITY_TAKEN: errors.capacityTaken,
};
