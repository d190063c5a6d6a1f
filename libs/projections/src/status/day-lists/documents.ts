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
/** `edition`: of the list that the part is of; default 0, that of lists that replaced no other. */
type PartId = DayId & Readonly<{ part: number; edition?: number | undefined }>;

/** `parts`: number of documents with the items, of which there are `count`. `event`: id of the event with the last part; a list that replaced this one has another. */
export type DayDocument = Readonly<{ parts: number; count: number; event: string; edition?: number }>;

/** Keys begin with the tenant, so that no range can reach another tenant's documents. */
export const dayKey = ({ tenantId, date }: DayId): string => `${tenantId}/${date}`;
/** What the keys of the parts of a list begin with: a list that is to replace another one is written beside it. */
export const partsUnder = (day: DayId & Pick<PartId, 'edition'>): string => `${dayKey(day)}${day.edition ? `@${day.edition}` : ''}/`;
const partKey = (part: PartId): string => `${partsUnder(part)}${String(part.part).padStart(6, '0')}`;

const tenantIn = (key: string): string => key.slice(0, key.indexOf('/'));

/** The personal members of the items of a kind; all of them are lists. */
const sealingOf = ({ sensitive = [] }: AnyDayList): Sealing =>
  sensitive.map((path) => ({ path, subject: ({ key }) => tenantSubject(tenantIn(key)), erased: '[]', mark: 'personal' }));

/** The collections of one kind of day list. */
export const dayListCollections = (list: AnyDayList) => ({
  /** Days whose lists are complete. */
  days: collection<DayDocument, DayId>(`${list.kind}.days`, { key: dayKey, owner: tenantFirst }),
  /** Items of a part as they stand in an answer, with the separators of there. An empty list has no part. */
  parts: collection<readonly object[], PartId>(list.kind, {
    key: partKey,
    codec: itemsCodec(list.depth),
    owner: tenantFirst,
    ...(list.sensitive && { sealed: sealingOf(list) }),
  }),
});

export type DayListCollections = ReturnType<typeof dayListCollections>;

/** A list that was deleted, or is missing beside another one, and may be written soon. `since`: ISO 8601. */
export type Gap = Readonly<{ kind: string; date: Day; since: string }>;

/** `begun`: how many gaps there were so far, those that are `open` included. */
export type GapsDocument = Readonly<{ begun: number; open: readonly Gap[] }>;

/** By tenant. */
export const gaps = collection<GapsDocument>('gaps', { owner: tenantFirst });
