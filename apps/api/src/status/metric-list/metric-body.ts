import { due, list, named, struct, text } from '#api/shared/bodies/body-shape.js';
import { component } from '#api/shared/openapi/shape.js';
import { recordMembers } from '#api/status/bodies.js';

const metric = named('StatusMonitoredMetricRequest', struct({ name: due(text), tags: list(text) }));
export const metricsBody = list(metric);

/** Used in examples. */
export const HTTP = { name: 'http', tags: ['network'] };
export const METRIC = component('StatusMonitoredMetric', recordMembers(metric), 'A metric of all tenants, and its tags').shownAs(HTTP);
