import { dictionary, flag, list, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Notifications } from '#domain/status/topology/topology.js';

export const notifications = optional(struct({ contacts: list(text), enabled: flag }));
export const tags = optional(dictionary(text));

type SentNotifications = Readonly<{ contacts: readonly string[]; enabled: boolean }>;

/** Without empty parts; no member where nothing was sent. */
export const notificationsOf = (sent: SentNotifications | undefined): Readonly<{ notifications?: Notifications }> => {
  if (!sent) return {};
  const { contacts, enabled } = sent;
  return { notifications: { ...(contacts.length > 0 ? { contacts } : {}), ...(enabled ? { enabled } : {}) } };
};

/** Begins the text for a day that has a list already. */
export const TAKEN = 'Topology';
