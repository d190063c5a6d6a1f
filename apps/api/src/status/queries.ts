import { parameter, requiredParameter } from '#api/shared/openapi/described.js';
import { bounded, oneOf } from '#domain/shared/shape.js';

const START = '2026-03-01T00:00:00Z';
const END = '2026-03-01T23:59:59Z';
export const TIMES_OF_EXAMPLE = { start_time: START, end_time: END };
const INSTANT = 'UTC instant, YYYY-MM-DDTHH:MM:SSZ';
const ITS_DAY = `${INSTANT}; its day counts`;

export const DATE = { date: parameter('day', 'UTC day, YYYY-MM-DD; default today') };

/** Two required instants. */
export const TIMES = {
  start_time: requiredParameter('instant', ITS_DAY, START),
  end_time: requiredParameter('instant', ITS_DAY, END),
};
/** Two optional instants. */
export const POSSIBLE_TIMES = {
  start_time: parameter('instant', ITS_DAY, START),
  end_time: parameter('instant', ITS_DAY, END),
};
/** Names with hyphens, as in version 5. */
export const hyphenTimes = (without: string) => ({
  'start-time': parameter('instant', `${ITS_DAY}; ${without}`, START),
  'end-time': parameter('instant', `${ITS_DAY}; ${without}`, END),
});
/** The instant of a probe. */
export const atInstant = () => requiredParameter('instant', INSTANT, '2026-03-01T07:30:00Z');
export const DAY_OF_INSTANT = { date: parameter('instant', `${ITS_DAY}; default today`) };

export const granularity = (description: string) => ({
  granularity: parameter(bounded(oneOf('daily', 'monthly', 'custom'), { default: 'daily' }), description),
});
export const PERIOD = bounded('text', { pattern: '^\\d+[dwm]$' });

const VIEWS = oneOf('details', 'latest');
export const VIEW = { view: parameter(VIEWS, 'details: with what thresholds did') };
/** For calls for timelines. */
export const TIMES_AND_VIEW = { ...TIMES, ...VIEW };
export const VIEW_OF_NODE = {
  view: parameter(VIEWS, '`details`: with what thresholds did; `latest`, of version 3: only the last status'),
};

export const SERVICE = { service: parameter('text', 'only items of this service type') };
export const STATUS_FILTER = { filter: parameter('text', 'non-ok, ok, critical, warning, unknown or missing') };

/** Path parameter: a resource. */
export const RESOURCE_ID = { id: parameter('text', '`ID` among the info of endpoints', 'resource-7') };

/** Path parameter: a tenant. */
export const TENANT_ID = { id: parameter('text', 'id of the tenant', '54f2fd5e-bb1a-492b-947d-23a25fffbfa2') };
