import { STATUS } from '#api/status/openapi/envelopes.js';
import { STATUS_VALUE } from '#api/status/openapi/statuses.js';
import { type Component, component, doc, either, type Shape } from '#domain/shared/shape.js';

const GROUP = { endpoint_group: 'text' } as const;
const SERVICE = { ...GROUP, service: 'text' } as const;
const ENDPOINT = { ...SERVICE, endpoint: doc('text', 'host name') } as const;
const METRIC = { ...ENDPOINT, metric: 'text' } as const;

const MONTH = doc('text', 'YYYY-MM');
const FLAPPING = { flapping: doc('count', 'changes of the status') } as const;
const EVENTS = {
  status: STATUS_VALUE,
  events: doc('count', 'metric results with that status; the one carried over from the day before counts, too'),
} as const;
const MINUTES = { status: STATUS_VALUE, duration_in_minutes: doc('count', 'minutes in that status') } as const;

type Members = Readonly<Record<string, Shape>>;

const FOUND = { endpoint_group: 'SITE-A', service: 'web', endpoint: 'web.example.org', metric: 'http' };

/** The example, limited to these members. */
const only = (members: Members): object => Object.fromEntries(Object.entries(FOUND).filter(([name]) => name in members));

const listed = (name: string, data: Shape, example: object): Component =>
  component(name, { status: STATUS, data }).shownAs({ status: { message: 'Success', code: '200' }, data: [example] });

/** The items with the highest figures, of the whole range or of each month. */
const ranked = (item: Component, members: Members): Members => ({ ...members, top: [item] });

/** Items of the whole range, or those of each month. */
const flapping = (of: string, members: Members): Component => {
  const item = component(`StatusFlapping${of}`, { ...members, ...FLAPPING });
  return listed(`StatusFlapping${of}List`, either([item], [ranked(item, { date: MONTH })]), { ...only(members), flapping: 4 });
};
const inTrouble = (of: string, members: Members, measure: Members, example: object): Component => {
  const item = component(`Status${of}InTrouble`, { ...members, ...measure });
  return listed(`Status${of}InTroubleList`, [ranked(item, { 'date?': MONTH, status: STATUS_VALUE })], {
    status: 'CRITICAL',
    top: [{ ...only(members), status: 'CRITICAL', ...example }],
  });
};

const TAGGED_FLAPPING = component('StatusFlappingTaggedMetric', { ...METRIC, ...FLAPPING });
const TAGGED_IN_TROUBLE = component('StatusTaggedMetricInTrouble', { ...METRIC, ...EVENTS });
const TAG = { 'date?': MONTH, tag: doc('text', 'of the metrics') } as const;

const MINUTES_SHOWN = { duration_in_minutes: 1615 };

/** Flapping items by level. */
export const FLAPPING_ITEMS = {
  metrics: flapping('Metric', METRIC),
  tags: listed('StatusFlappingTaggedMetricList', [ranked(TAGGED_FLAPPING, TAG)], { tag: 'network', top: [{ ...FOUND, flapping: 4 }] }),
  endpoints: flapping('Endpoint', ENDPOINT),
  services: flapping('Service', SERVICE),
  groups: flapping('Group', GROUP),
};

/** Items in trouble by level. */
export const ITEMS_IN_TROUBLE = {
  metrics: inTrouble('Metric', METRIC, EVENTS, { events: 2 }),
  tags: listed('StatusTaggedMetricInTroubleList', [ranked(TAGGED_IN_TROUBLE, { ...TAG, status: STATUS_VALUE })], {
    status: 'CRITICAL',
    tag: 'network',
    top: [{ ...FOUND, status: 'CRITICAL', events: 2 }],
  }),
  endpoints: inTrouble('Endpoint', ENDPOINT, MINUTES, MINUTES_SHOWN),
  services: inTrouble('Service', SERVICE, MINUTES, MINUTES_SHOWN),
  groups: inTrouble('Group', GROUP, MINUTES, MINUTES_SHOWN),
};
