import { dayList } from '#domain/status/day-lists/day-lists.js';
import { RECORD_DEPTH } from '#domain/status/limits.js';

/** Notification contacts of a topology item. Empty parts are absent. */
export type Notifications = Readonly<{ contacts?: readonly string[]; enabled?: true }>;
/** Absent tags are `null` on the wire. */
type TopologyTags = Readonly<Record<string, string>> | null;

/** Members as on the wire (status extended contract 3.1), except the day, which is that of the list. */
export type TopologyEndpoint = Readonly<{
  group: string;
  type: string;
  service: string;
  hostname: string;
  notifications?: Notifications;
  tags: TopologyTags;
}>;
export type TopologyGroup = Readonly<{ group: string; type: string; subgroup: string; notifications?: Notifications; tags: TopologyTags }>;
export type TopologyServiceType = Readonly<{ name: string; title: string; description: string; tags?: readonly string[] }>;

/** Addresses of persons. */
const CONTACTS = ['notifications.contacts'];

export const topologyEndpoints = dayList<TopologyEndpoint>({
  kind: 'topology_endpoints',
  events: { listed: 'TopologyEndpointsListed', deleted: 'TopologyEndpointsDeleted' },
  sensitive: CONTACTS,
  depth: RECORD_DEPTH,
  placedBy: ({ group, type, service }) => [group, type, service],
});
export const topologyGroups = dayList<TopologyGroup>({
  kind: 'topology_groups',
  events: { listed: 'TopologyGroupsListed', deleted: 'TopologyGroupsDeleted' },
  sensitive: CONTACTS,
  depth: RECORD_DEPTH,
  placedBy: ({ group, type }) => [group, type],
});
export const topologyServiceTypes = dayList<TopologyServiceType>({
  kind: 'topology_service_types',
  events: { listed: 'TopologyServiceTypesListed', deleted: 'TopologyServiceTypesDeleted' },
  depth: RECORD_DEPTH,
  placedBy: ({ name }) => [name],
});
