import { dictionary, due, flag, list, mapped, named, optional, type Shape, struct, text, unsaid } from '#api/shared/bodies/body-shape.js';
import { dueText, recordMembers } from '#api/status/bodies.js';
import { type Component, component, type Shape as Described, doc, nullable } from '#domain/shared/shape.js';
import { inKeyOrder } from '#domain/shared/text/text-order.js';
import type { Notifications } from '#domain/status/topology/topology.js';

const contacts = named('StatusContacts', struct({ contacts: list(text), enabled: flag }), 'Who is told of changes');
/** In the order of their keys (status extended contract 3.1). */
const tags = mapped(dictionary(text), inKeyOrder);

/** Members of items in all lists that the service ignores. */
export const UNREAD = { date: unsaid(text), tenant: unsaid(text) };
/** Common optional members of endpoints and groups. */
export const OF_ITEMS = { notifications: optional(contacts), tags: optional(tags) };
export const GROUP_MEMBERS = { group: due(text), type: dueText('of the group') };

type Members = Readonly<Record<string, Shape<unknown>>>;

/** The answered form of a list item. @param members its own @param others optional ones */
export const listedItem = (name: string, members: Members, others: Readonly<Record<string, Described>>): Component =>
  component(
    name,
    {
      date: doc('day', 'of the list'),
      ...recordMembers(struct(members)),
      ...others,
      'tenant?': doc('text', 'name of the tenant that the item is of; in combined lists, of others than the own one'),
    },
    'extended contract 3.1',
  );
/** The same for endpoints and groups. */
export const listedOf = (name: string, members: Members): Component =>
  listedItem(name, members, { 'notifications?': contacts.schema, tags: nullable(tags.schema) });

/** Used in examples of lists. */
export const LIST_DAY = '2026-03-01';

type SentNotifications = Readonly<{ contacts: readonly string[]; enabled: boolean }>;

/** Omits empty parts; no member if none was sent. */
export const notificationsOf = (sent: SentNotifications | undefined): Readonly<{ notifications?: Notifications }> => {
  if (!sent) return {};
  const { contacts, enabled } = sent;
  return { notifications: { ...(contacts.length > 0 ? { contacts } : {}), ...(enabled ? { enabled } : {}) } };
};

/** First word of the error for a day that already has a list. */
export const TAKEN = 'Topology';
