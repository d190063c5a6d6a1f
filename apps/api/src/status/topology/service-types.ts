import { due, list, named, struct, text } from '#api/shared/bodies/body-shape.js';
import { dayListCommands } from '#api/status/day-lists/commands.js';
import { type TopologyServiceType, topologyServiceTypes } from '#domain/status/topology/topology.js';
import { LIST_DAY, listedItem, TAKEN, UNREAD } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

const MEMBERS = { title: text, description: text };
const shape = named('StatusNewServiceType', struct({ ...UNREAD, name: due(text), ...MEMBERS, tags: list(text) }));

/** Used in examples. */
const EXAMPLE = { name: 'web', title: 'Web server', description: 'answers HTTP', tags: ['public'] };
const SERVICE_TYPE = listedItem('StatusServiceType', { name: text, ...MEMBERS }, { 'tags?': ['text'] }).shownAs({
  date: LIST_DAY,
  ...EXAMPLE,
});

export const topologyServiceTypesKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyServiceType> = {
  list: topologyServiceTypes,
  path: 'api/v2/topology/service-types',
  noun: 'ServiceTypes',
  shape,
  record: SERVICE_TYPE,
  example: EXAMPLE,
  item: ({ name, title, description, tags }) => ({ name, title, description, ...(tags.length > 0 ? { tags } : {}) }),
  commands: dayListCommands(topologyServiceTypes),
  filters: [],
  texts: { what: 'service types', taken: `${TAKEN} list of service types` },
  othersSuffice: true,
};
