import type { Downtime } from '#domain/status/downtimes/downtimes.js';
import type { Notifications, TopologyEndpoint, TopologyGroup, TopologyServiceType } from '#domain/status/topology/topology.js';
import { type Fields, fieldsIn, flagIn, textIn, textsIn } from '#operator/migrate/read/fields.js';
import { filledIn, textMapIn } from './members.js';

/** Without empty parts, as when they are sent. */
const notificationsIn = (fields: Fields): Readonly<{ notifications?: Notifications }> => {
  const found = fieldsIn(fields, 'notifications');
  if (!found) return {};
  const contacts = textsIn(found, 'contacts');
  return { notifications: { ...(contacts.length > 0 ? { contacts } : {}), ...(flagIn(found, 'enabled') ? { enabled: true } : {}) } };
};

/** @throws WrongField */
export const topologyEndpoint = (fields: Fields): TopologyEndpoint => ({
  group: textIn(fields, 'group'),
  type: textIn(fields, 'type'),
  service: textIn(fields, 'service'),
  hostname: textIn(fields, 'hostname'),
  ...notificationsIn(fields),
  tags: textMapIn(fields, 'tags'),
});

/** @throws WrongField */
export const topologyGroup = (fields: Fields): TopologyGroup => ({
  group: textIn(fields, 'group'),
  type: textIn(fields, 'type'),
  subgroup: textIn(fields, 'subgroup'),
  ...notificationsIn(fields),
  tags: textMapIn(fields, 'tags'),
});

/** @throws WrongField */
export const topologyServiceType = (fields: Fields): TopologyServiceType => {
  const tags = textsIn(fields, 'tags');
  return {
    name: textIn(fields, 'name'),
    title: textIn(fields, 'title'),
    description: textIn(fields, 'description'),
    ...(tags.length > 0 ? { tags } : {}),
  };
};

/** One of the `endpoints` of a day. @throws WrongField */
export const downtime = (fields: Fields): Downtime => ({
  hostname: textIn(fields, 'hostname'),
  service: textIn(fields, 'service'),
  start_time: textIn(fields, 'start_time'),
  end_time: textIn(fields, 'end_time'),
  ...filledIn(fields, 'description', 'classification', 'severity'),
});
