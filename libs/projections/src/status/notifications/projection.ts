import { NOTIFICATION_SETTINGS_CATEGORY, type NotificationSettingsEvent } from '#domain/status/notifications/notification-settings.js';
import { PUBLISHED_NOTICES_CATEGORY, type StatusNoticesPublished } from '#domain/status/notifications/published-notices.js';
import { type StatusesNotified, TOLD_STATUSES_CATEGORY } from '#domain/status/notifications/told-statuses.js';
import { REPORTS_CATEGORY, type ReportEvent } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { keyOf } from '#projections/shared/key-part.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { NO_NOTIFICATIONS, NOTIFICATIONS, notificationCollections } from './documents.js';

const { settings, told, pending, totals } = notificationCollections;

type ReportDeleted = Extract<ReportEvent, { type: 'ReportDeleted' }>;

/** Longest position in decimal digits. */
const DIGITS = 20;

const totalsOf = ({ data }: Readonly<{ data: Readonly<{ tenantId: string }> }>) => ({ before: totals.at(data.tenantId) });

/** Which changes of statuses each tenant is notified of, what was told, and what still has to be published. */
export const notificationsProjection = readModel<
  NotificationSettingsEvent | StatusesNotified | StatusNoticesPublished | ReportDeleted | TenantDeleted
>(
  {
    name: NOTIFICATIONS,
    version: 1,
    service: 'status',
    categories: [TENANTS_CATEGORY, REPORTS_CATEGORY, NOTIFICATION_SETTINGS_CATEGORY, TOLD_STATUSES_CATEGORY, PUBLISHED_NOTICES_CATEGORY],
    collections: Object.values(notificationCollections),
    partitionsOf: tenantPartitionsOf([
      REPORTS_CATEGORY,
      NOTIFICATION_SETTINGS_CATEGORY,
      TOLD_STATUSES_CATEGORY,
      PUBLISHED_NOTICES_CATEGORY,
    ]),
  },
  {
    StatusNotificationsTurnedOn: ({ data: { tenantId, ...document } }) => [settings.put(tenantId, document)],
    StatusNotificationsTurnedOff: reading(
      totalsOf,
      ({ data: { tenantId } }: EventOf<NotificationSettingsEvent>, { before = NO_NOTIFICATIONS }) => [
        settings.remove(tenantId),
        told.removeUnder(`${tenantId}/`),
        pending.removeUnder(`${tenantId}/`),
        totals.put(tenantId, { ...before, pending: 0 }),
      ],
    ),
    StatusesNotified: reading(totalsOf, ({ id, position, data }: EventOf<StatusesNotified>, { before = NO_NOTIFICATIONS }) => {
      const { tenantId, group, part, epoch, statuses, report, changes } = data;
      const remembered = told.put(data, { group, part, epoch, statuses });
      if (changes.length === 0) return [remembered];
      return [
        remembered,
        pending.put({ tenantId, position: position.toString().padStart(DIGITS, '0') }, { event: id, epoch, report, group, changes }),
        totals.put(tenantId, { ...before, pending: before.pending + 1 }),
      ];
    }),
    StatusNoticesPublished: reading(totalsOf, ({ data, metadata }: EventOf<StatusNoticesPublished>, { before = NO_NOTIFICATIONS }) => {
      const { tenantId, notices, messages } = data;
      const after = {
        published: before.published + messages,
        pending: Math.max(0, before.pending - notices.length),
        lastAt: `${metadata.time.slice(0, 19)}Z`,
      };
      return [...notices.map((position) => pending.remove({ tenantId, position })), totals.put(tenantId, after)];
    }),
    ReportDeleted: ({ stream, data: { id } }) => [told.removeUnder(`${keyOf(stream.slice(REPORTS_CATEGORY.length + 1), id)}/`)],
    TenantDeleted: ({ data: { tenantId } }) => [
      settings.remove(tenantId),
      told.removeUnder(`${tenantId}/`),
      pending.removeUnder(`${tenantId}/`),
      totals.remove(tenantId),
    ],
  },
);
