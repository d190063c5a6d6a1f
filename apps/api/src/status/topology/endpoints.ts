import { struct, text } from '#api/shared/bodies/body-shape.js';
import { DeleteDayList, WriteDayList } from '#api/status/day-lists/commands.js';
import * as docs from '#api/status/openapi/topology.js';
import { type TopologyEndpoint, topologyEndpoints } from '#domain/status/topology/topology.js';
import { notifications, notificationsOf, TAKEN, tags } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

export class WriteTopologyEndpoints extends WriteDayList<TopologyEndpoint> {}
export class DeleteTopologyEndpoints extends DeleteDayList {}

const shape = struct({ date: text, group: text, type: text, service: text, hostname: text, notifications, tags, tenant: text });

export const topologyEndpointsKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyEndpoint> = {
  list: topologyEndpoints,
  path: 'api/v2/topology/endpoints',
  noun: 'TopologyEndpoints',
  shown: { record: docs.ENDPOINT, request: docs.NEW_ENDPOINTS, item: docs.SENT_ENDPOINT },
  shape,
  item: ({ group, type, service, hostname, notifications, tags }) => ({
    group,
    type,
    service,
    hostname,
    ...notificationsOf(notifications),
    tags: tags ?? null,
  }),
  commands: { write: WriteTopologyEndpoints, delete: DeleteTopologyEndpoints },
  filters: ['group', 'type', 'service', 'hostname'],
  texts: { what: 'endpoints', taken: TAKEN },
  othersSuffice: false,
};
