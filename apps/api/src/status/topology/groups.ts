import { named, struct } from '#api/shared/bodies/body-shape.js';
import { dueText } from '#api/status/bodies.js';
import { dayListCommands } from '#api/status/day-lists/commands.js';
import { type TopologyGroup, topologyGroups } from '#domain/status/topology/topology.js';
import { GROUP_MEMBERS, LIST_DAY, listedOf, notificationsOf, OF_ITEMS, TAKEN, UNREAD } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

const MEMBERS = { ...GROUP_MEMBERS, subgroup: dueText('the group that belongs to it') };
const shape = named('StatusNewTopologyGroup', struct({ ...UNREAD, ...MEMBERS, ...OF_ITEMS }));

/** Used in examples. */
const EXAMPLE = { group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A', tags: { scope: 'EGI' } };
export const TOPOLOGY_GROUP = listedOf('StatusTopologyGroup', MEMBERS).shownAs({ date: LIST_DAY, ...EXAMPLE });

export const topologyGroupsKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyGroup> = {
  list: topologyGroups,
  path: 'api/v2/topology/groups',
  noun: 'TopologyGroups',
  shape,
  record: TOPOLOGY_GROUP,
  example: EXAMPLE,
  item: ({ group, type, subgroup, notifications, tags }) => ({
    group,
    type,
    subgroup,
    ...notificationsOf(notifications),
    tags: tags ?? null,
  }),
  commands: dayListCommands(topologyGroups),
  filters: ['group', 'type', 'subgroup'],
  texts: { what: 'groups', taken: TAKEN },
  othersSuffice: false,
};
