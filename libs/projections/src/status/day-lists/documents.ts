import type { Day } from '#domain/shared/time.js';
import type { AnyDayList } from '#domain/status/day-lists/day-lists.js';
import { tenantSubject } from '#domain/status/tenants/tenants.js';
import { collection } from '#projections/shared/collection.js';
import type { Sealing } from '#projections/shared/projection.js';
import { itemsCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const DAY_LISTS = 'status.day-lists';

export type DayId = Readonly<{ tenantId: string; date: Day }>;
/** `edition`: that of the part's list. Default: 0, for a list that replaced no other. */
type PartId = DayId & Readonly<{ part: number; edition?: number | undefined }>;

/** `parts`: number of documents with the list's `count` items. `event`: id of the event with the last part, which differs for a replacement. */
export type DayDocument = Readonly<{ parts: number; count: number; event: string; edition?: number }>;

/** Keys start with the tenant, so that no range can reach the documents of another tenant. */
export const dayKey = ({ tenantId, date }: DayId): string => `${tenantId}/${date}`;
/** Prefix of the keys of a list's parts. It contains the edition, because a replacement is written beside the old list. */
export const partsUnder = (day: DayId & Pick<PartId, 'edition'>): string => `${dayKey(day)}${day.edition ? `@${day.edition}` : ''}/`;
const partKey = (part: PartId): string => `${partsUnder(part)}${String(part.part).padStart(6, '0')}`;

const tenantIn = (key: string): string => key.slice(0, key.indexOf('/'));

/** The personal members of the items of a kind. All of them are lists. */
const sealingOf = ({ sensitive = [] }: AnyDayList): Sealing =>
  sensitive.map((path) => ({ path, subject: ({ key }) => tenantSubject(tenantIn(key)), erased: '[]', mark: 'personal' }));

export const dayListCollections = (list: AnyDayList) => ({
  /** Days whose lists are complete. */
  days: collection<DayDocument, DayId>(`${list.kind}.days`, { key: dayKey, owner: tenantFirst }),
  /** Items of a part in the format of answers, including separators. An empty list has no part. */
  parts: collection<readonly object[], PartId>(list.kind, {
    key: partKey,
    codec: itemsCodec(list.depth),
    owner: tenantFirst,
    ...(list.sensitive && { sealed: sealingOf(list) }),
  }),
});

export type DayListCollections = ReturnType<typeof dayListCollections>;

/**
 * A list that was deleted, or missing beside another one, and may be written soon. `number`: of the gap, counted from 1. `since`: ISO 8601.
 * `closed`: the list is there again.
 */
export type ListGap = Readonly<{ kind: string; date: Day; number: number; since: string; closed?: true }>;

/** `begun`: number of gaps so far. `recent`: the last gap of each list, by date. */
export type GapsDocument = Readonly<{ begun: number; recent: readonly ListGap[] }>;

/** By tenant. */
export const gaps = collection<GapsDocument>('gaps', { owner: tenantFirst });
