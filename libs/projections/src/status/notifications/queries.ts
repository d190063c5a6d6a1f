import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { AnnouncedPart } from '#domain/status/notifications/announced-statuses.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { observedQueriesOf } from '#projections/shared/queries.js';
import { STATUS_SOURCES } from '#projections/status/results/status-sources.js';
import {
  type AnnouncedDocument,
  NO_NOTIFICATIONS,
  NOTIFICATIONS,
  type NotificationTotals,
  notificationCollections,
  type PendingNotice,
  type SettingsDocument,
} from './documents.js';

export type { AnnouncedDocument, AnnouncedStatus, NotificationTotals, PendingNotice, SettingsDocument } from './documents.js';

const { settings, told, pending, totals } = notificationCollections;

/** Groups of which a part is read together. */
const GROUPS_AT_ONCE = 250;

export type AnnouncedReport = Pick<AnnouncedPart, 'tenantId' | 'reportId'>;

/** A tenant with notifications turned on. */
type NotifiedTenant = Readonly<{ tenantId: string; settings: SettingsDocument }>;

export type FoundNotice = Readonly<{ position: string; notice: PendingNotice }>;

export class NotificationQueries extends observedQueriesOf(NOTIFICATIONS) {
  /** `undefined`: notifications are off. */
  settings(tenantId: string): Promise<SettingsDocument | undefined> {
    return settings.get(this.view, tenantId);
  }

  async totals(tenantId: string): Promise<NotificationTotals> {
    return (await totals.get(this.view, tenantId)) ?? NO_NOTIFICATIONS;
  }

  /** By tenant. */
  async all(slice: Slice): Promise<readonly NotifiedTenant[]> {
    const found: NotifiedTenant[] = [];
    for await (const page of pagesOf(this.view, settings.name, {}, { slice }))
      found.push(...page.map(({ key, value }) => ({ tenantId: key, settings: settings.parse(value) })));
    return found;
  }

  /** Announced statuses of a report, by group. `group`: only of this one. */
  async told(
    { tenantId, reportId, group }: AnnouncedReport & Readonly<{ group?: string }>,
    slice: Slice,
  ): Promise<ReadonlyMap<string, readonly AnnouncedDocument[]>> {
    const found = new Map<string, AnnouncedDocument[]>();
    const range = group === undefined ? keysUnder(tenantId, reportId) : keysUnder(tenantId, reportId, group);
    for await (const page of pagesOf(this.view, told.name, range, { slice }))
      for (const { value } of page) {
        const document = told.parse(value);
        getOrInsert(found, document.group, () => []).push(document);
        if (slice.isOver) await slice.next();
      }
    return found;
  }

  /** Of each group the part with the number of its last event. `undefined`: nothing was announced of the group. */
  async lastTold(
    { tenantId, reportId }: AnnouncedReport,
    groups: readonly string[],
    slice: Slice,
  ): Promise<readonly (AnnouncedDocument | undefined)[]> {
    const found: (AnnouncedDocument | undefined)[] = [];
    for (let start = 0; start < groups.length; start += GROUPS_AT_ONCE) {
      const ids = groups.slice(start, start + GROUPS_AT_ONCE).map((group) => ({ tenantId, reportId, group, part: '' }));
      found.push(...(await told.getMany(this.view, ids, slice)));
    }
    return found;
  }

  /** The oldest notices that are not published yet, up to about `maxBytes`. */
  async pending(tenantId: string, maxBytes: number): Promise<readonly FoundNotice[]> {
    const found = await this.view.range(pending.name, { ...keysUnder(tenantId), limit: 100, maxBytes });
    return found.map(({ key, value }) => ({ position: key.slice(tenantId.length + 1), notice: pending.parse(value) }));
  }

  /** Calls the listener after every change of the data from which statuses are computed. */
  onStatusSources(listener: () => void): () => void {
    const stops = STATUS_SOURCES.map((readModel) => this.store.onCommit(readModel, listener));
    return () => {
      for (const stop of stops) stop();
    };
  }
}
