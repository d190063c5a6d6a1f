import { ANNOUNCED_STATUSES_CATEGORY } from '#domain/status/notifications/announced-statuses.js';
import { NOTIFICATION_SETTINGS_CATEGORY, type NotificationSettingsEvent } from '#domain/status/notifications/notification-settings.js';
import { PUBLISHED_NOTICES_CATEGORY, type StatusNoticesPublished } from '#domain/status/notifications/published-notices.js';
import { itemKey, partOfItem, type StatusChangesFound } from '#domain/status/notifications/status-changes.js';
import { REPORTS_CATEGORY, type ReportEvent } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { type AnnouncedStatus, NO_NOTIFICATIONS, NOTIFICATIONS, type NotificationTotals, notificationCollections } from './documents.js';

const { settings, told, pending, totals } = notificationCollections;

type ReportDeleted = Extract<ReportEvent, { type: 'ReportDeleted' }>;

/** Maximum decimal digits of a position. */
const DIGITS = 20;

const totalsOf = ({ data }: Readonly<{ data: Readonly<{ tenantId: string }> }>) => ({ before: totals.at(data.tenantId) });

const secondOf = ({ metadata }: Readonly<{ metadata: Readonly<{ time: string }> }>): string => `${metadata.time.slice(0, 19)}Z`;

/** The parts of the group that an event changes, including that of the group itself, because it counts the events. */
const partsOf = ({ seen, gone, changes }: StatusChangesFound['data']): readonly string[] => [
  ...new Set(['', ...[...seen, ...gone, ...changes].map(partOfItem)]),
];

/** The statuses of a part after an event. */
const afterEvent = (
  { data: { seen, gone, changes }, metadata }: EventOf<StatusChangesFound>,
  part: string,
  before: readonly AnnouncedStatus[],
): readonly AnnouncedStatus[] => {
  const told = secondOf({ metadata });
  const known = new Map(before.map((one) => [itemKey(one), one]));
  for (const item of gone) known.delete(itemKey(item));
  for (const item of [...seen, ...changes]) {
    const { level, service, hostname, metric, status, since } = item;
    if (partOfItem(item) === part) known.set(itemKey(item), { level, service, hostname, metric, status, since, told });
  }
  return [...known.values()];
};

const toPublish = (event: EventOf<StatusChangesFound>, before: NotificationTotals): readonly DocumentChange[] => {
  const { tenantId, epoch, report, group, changes } = event.data;
  if (changes.length === 0) return [];
  const position = event.position.toString().padStart(DIGITS, '0');
  const notice = { event: event.id, correlationId: event.metadata.correlationId, epoch, report, group, changes, at: secondOf(event) };
  return [pending.put({ tenantId, position }, notice), totals.put(tenantId, { ...before, pending: before.pending + 1 })];
};

/** Notification settings of each tenant, announced statuses, and changes to be published. */
export const notificationsProjection = readModel<
  NotificationSettingsEvent | StatusChangesFound | StatusNoticesPublished | ReportDeleted | TenantDeleted
>(
  {
    name: NOTIFICATIONS,
    version: 3,
    readsFrom: 2,
    service: 'status',
    categories: [
      TENANTS_CATEGORY,
      REPORTS_CATEGORY,
      NOTIFICATION_SETTINGS_CATEGORY,
      ANNOUNCED_STATUSES_CATEGORY,
      PUBLISHED_NOTICES_CATEGORY,
    ],
    collections: Object.values(notificationCollections),
    partitionsOf: tenantPartitionsOf([
      REPORTS_CATEGORY,
      NOTIFICATION_SETTINGS_CATEGORY,
      ANNOUNCED_STATUSES_CATEGORY,
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
    StatusChangesFound: reading(
      ({ data }: EventOf<StatusChangesFound>) => ({
        before: totals.at(data.tenantId),
        parts: partsOf(data).map((part) => told.at({ ...data, part })),
      }),
      (event, { before = NO_NOTIFICATIONS, parts: found }) => {
        const { group, epoch, number } = event.data;
        const parts = partsOf(event.data).map((part, index) => {
          const known = found[index]?.epoch === epoch ? found[index].statuses : [];
          const statuses = afterEvent(event, part, known);
          return told.put({ ...event.data, part }, { group, part, epoch, statuses, ...(part === '' && { number }) });
        });
        return [...parts, ...toPublish(event, before)];
      },
    ),
    StatusNoticesPublished: reading(totalsOf, ({ data, metadata }: EventOf<StatusNoticesPublished>, { before = NO_NOTIFICATIONS }) => {
      const { tenantId, notices, messages } = data;
      const after = {
        published: before.published + messages,
        pending: Math.max(0, before.pending - notices.length),
        lastAt: secondOf({ metadata }),
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
