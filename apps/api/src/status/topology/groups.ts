import { struct, text } from '#api/shared/bodies/body-shape.js';
import { DeleteDayList, WriteDayList } from '#api/status/day-lists/commands.js';
import * as docs from '#api/status/openapi/topology.js';
import { type TopologyGroup, topologyGroups } from '#domain/status/topology/topology.js';
import { notifications, notificationsOf, TAKEN, tags } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

export class WriteTopologyGroups extends WriteDayList<TopologyGroup> {}
export class DeleteTopologyGroups extends DeleteDayList {}

const shape = struct({ date: text, group: text, type: text, subgroup: text, notifications, tags, tenant: text });

export const topologyGroupsKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyGroup> = {
  list: topologyGroups,
  path: 'api/v2/topology/groups',
  noun: 'TopologyGroups',
  shown: { record: docs.GROUP, request: docs.NEW_GROUPS, item: docs.SENT_GROUP },
  shape,
  item: ({ group, type, subgroup, notifications, tags }) => ({
    group,
    type,
    subgroup,
    ...notificationsOf(notifications),
    tags: tags ?? null,
  }),
  commands: { write: WriteTopologyGroups, delete: DeleteTopologyGroups },
  filters: ['group', 'type', 'subgroup'],
  texts: { what: 'groups', taken: TAKEN },
  othersSuffice: false,
};
