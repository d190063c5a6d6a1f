import type { Downtime } from '#domain/status/downtimes/downtimes.js';
import type { Notifications, TopologyEndpoint, TopologyGroup, TopologyServiceType } from '#domain/status/topology/topology.js';
import { allTextsIn, type Fields, fieldsIn, flagIn, textsIn } from '#operator/migrate/read/fields.js';
import { filledIn, textMapIn } from './members.js';

/** Omits empty parts, as in requests. */
const notificationsIn = (fields: Fields): Readonly<{ notifications?: Notifications }> => {
  const found = fieldsIn(fields, 'notifications');
  if (!found) return {};
  const contacts = textsIn(found, 'contacts');
  return { notifications: { ...(contacts.length > 0 ? { contacts } : {}), ...(flagIn(found, 'enabled') ? { enabled: true } : {}) } };
};

/** @throws WrongField */
export const topologyEndpoint = (fields: Fields): TopologyEndpoint => ({
  ...allTextsIn(fields, 'group', 'type', 'service', 'hostname'),
  ...notificationsIn(fields),
  tags: textMapIn(fields, 'tags'),
});

/** @throws WrongField */
export const topologyGroup = (fields: Fields): TopologyGroup => ({
  ...allTextsIn(fields, 'group', 'type', 'subgroup'),
  ...notificationsIn(fields),
  tags: textMapIn(fields, 'tags'),
});

/** @throws WrongField */
export const topologyServiceType = (fields: Fields): TopologyServiceType => {
  const tags = textsIn(fields, 'tags');
  return { ...allTextsIn(fields, 'name', 'title', 'description'), ...(tags.length > 0 ? { tags } : {}) };
};

/** One of the `endpoints` of a day. @throws WrongField */
export const downtime = (fields: Fields): Downtime => ({
  ...allTextsIn(fields, 'hostname', 'service', 'start_time', 'end_time'),
  ...filledIn(fields, 'description', 'classification', 'severity'),
});
