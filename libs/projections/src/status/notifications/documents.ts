import type { AnnouncedPart } from '#domain/status/notifications/announced-statuses.js';
import type { NotificationSettings } from '#domain/status/notifications/notification-settings.js';
import type { FoundChange, ItemStatus } from '#domain/status/notifications/status-changes.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const NOTIFICATIONS = 'status.notifications';

export type SettingsDocument = NotificationSettings & Readonly<{ epoch: number }>;

/** `told`: time when it was announced or first seen, `YYYY-MM-DDTHH:MM:SSZ`. */
export type AnnouncedStatus = ItemStatus & Readonly<{ told: string }>;

/** `group` and `part`: as in the key, where they may be hashed. `number`: of the last event of the group, only in the part of the group itself. */
export type AnnouncedDocument = Readonly<{ epoch: number; statuses: readonly AnnouncedStatus[]; number?: number }> &
  Pick<AnnouncedPart, 'group' | 'part'>;

/** Changes that are not published yet. `event`: id of the event that recorded them. `at`: time of that event, `YYYY-MM-DDTHH:MM:SSZ`. */
export type PendingNotice = Readonly<{
  event: string;
  /** Of that event. Absent in documents of earlier releases. */
  correlationId?: string;
  epoch: number;
  report: string;
  group: string;
  at: string;
  changes: readonly FoundChange[];
}>;

/** A notice is identified by the position of its event, 20 digits. */
type NoticeId = Readonly<{ tenantId: string; position: string }>;

/** Numbers of published messages and of pending notices. `lastAt`: time of the last publication, `YYYY-MM-DDTHH:MM:SSZ`. */
export type NotificationTotals = Readonly<{ published: number; pending: number; lastAt?: string }>;

export const NO_NOTIFICATIONS: NotificationTotals = { published: 0, pending: 0 };

export const notificationCollections = {
  /** By tenant. */
  settings: collection<SettingsDocument>('settings', { owner: tenantFirst }),
  told: collection<AnnouncedDocument, AnnouncedPart>('told', {
    key: ({ tenantId, reportId, group, part }) => keyOf(tenantId, reportId, group, part || '-'),
    owner: tenantFirst,
  }),
  pending: collection<PendingNotice, NoticeId>('pending', {
    key: ({ tenantId, position }) => `${tenantId}/${position}`,
    owner: tenantFirst,
  }),
  /** By tenant. */
  totals: collection<NotificationTotals>('totals', { owner: tenantFirst }),
} as const;
