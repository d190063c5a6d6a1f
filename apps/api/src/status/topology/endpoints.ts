import { due, named, struct, text } from '#api/shared/bodies/body-shape.js';
import { dueText } from '#api/status/bodies.js';
import { dayListCommands } from '#api/status/day-lists/commands.js';
import { type TopologyEndpoint, topologyEndpoints } from '#domain/status/topology/topology.js';
import { GROUP_MEMBERS, LIST_DAY, listedOf, notificationsOf, OF_ITEMS, TAKEN, UNREAD } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

const MEMBERS = { ...GROUP_MEMBERS, service: dueText('service type'), hostname: due(text) };
const shape = named('StatusNewTopologyEndpoint', struct({ ...UNREAD, ...MEMBERS, ...OF_ITEMS }));

/** Used in examples. */
const EXAMPLE = { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'web.example.org', tags: { production: '1' } };
export const TOPOLOGY_ENDPOINT = listedOf('StatusTopologyEndpoint', MEMBERS).shownAs({ date: LIST_DAY, ...EXAMPLE });

export const topologyEndpointsKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyEndpoint> = {
  list: topologyEndpoints,
  path: 'api/v2/topology/endpoints',
  noun: 'TopologyEndpoints',
  shape,
  record: TOPOLOGY_ENDPOINT,
  example: EXAMPLE,
  item: ({ group, type, service, hostname, notifications, tags }) => ({
    group,
    type,
    service,
    hostname,
    ...notificationsOf(notifications),
    tags: tags ?? null,
  }),
  commands: dayListCommands(topologyEndpoints),
  filters: ['group', 'type', 'service', 'hostname'],
  texts: { what: 'endpoints', taken: TAKEN },
  othersSuffice: false,
};
