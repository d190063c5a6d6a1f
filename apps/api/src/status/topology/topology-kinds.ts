import { dictionary, flag, list, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import { type Notifications, topologyEndpoints, topologyGroups, topologyServiceTypes } from '#domain/status/topology/topology.js';
import { topologyController } from './topology.controller.js';

const notifications = optional(struct({ contacts: list(text), enabled: flag }));
const tags = optional(dictionary(text));

type SentNotifications = Readonly<{ contacts: readonly string[]; enabled: boolean }>;

/** Without empty parts; nothing where nothing was sent. */
const told = (sent: SentNotifications | undefined): Readonly<{ notifications?: Notifications }> => {
  if (!sent) return {};
  const { contacts, enabled } = sent;
  return { notifications: { ...(contacts.length > 0 ? { contacts } : {}), ...(enabled ? { enabled } : {}) } };
};

const TAKEN = 'Topology';

export const TopologyEndpointsController = topologyController({
  list: topologyEndpoints,
  path: 'endpoints',
  routes: 'topology_endpoints',
  shape: struct({ date: text, group: text, type: text, service: text, hostname: text, notifications, tags, tenant: text }),
  item: ({ group, type, service, hostname, notifications, tags }) => ({
    group,
    type,
    service,
    hostname,
    ...told(notifications),
    tags: tags ?? null,
  }),
  filters: ['group', 'type', 'service', 'hostname'],
  texts: { what: 'endpoints', taken: TAKEN },
  othersSuffice: false,
});

export const TopologyGroupsController = topologyController({
  list: topologyGroups,
  path: 'groups',
  routes: 'topology_groups',
  shape: struct({ date: text, group: text, type: text, subgroup: text, notifications, tags, tenant: text }),
  item: ({ group, type, subgroup, notifications, tags }) => ({ group, type, subgroup, ...told(notifications), tags: tags ?? null }),
  filters: ['group', 'type', 'subgroup'],
  texts: { what: 'groups', taken: TAKEN },
  othersSuffice: false,
});

export const TopologyServiceTypesController = topologyController({
  list: topologyServiceTypes,
  path: 'service-types',
  routes: 'topology_service_types',
  shape: struct({ date: text, name: text, title: text, description: text, tags: list(text), tenant: text }),
  item: ({ name, title, description, tags }) => ({ name, title, description, ...(tags.length > 0 ? { tags } : {}) }),
  filters: [],
  texts: { what: 'service types', taken: `${TAKEN} list of service types` },
  othersSuffice: true,
});
