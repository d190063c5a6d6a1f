import { due, list, named, struct, text } from '#api/shared/bodies/body-shape.js';
import { recordMembers } from '#api/status/bodies.js';
import { component } from '#domain/shared/shape.js';

const metric = named('StatusMonitoredMetricRequest', struct({ name: due(text), tags: list(text) }));
export const metricsBody = list(metric);

/** Used in examples. */
export const HTTP = { name: 'http', tags: ['network'] };
export const METRIC = component('StatusMonitoredMetric', recordMembers(metric), 'A metric of all tenants, and its tags').shownAs(HTTP);
