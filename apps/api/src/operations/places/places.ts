import { Inject, Injectable } from '@nestjs/common';
import { BY_WORDS, isMatch, matching, type Ranked, rankOf } from '#api/operations/names/name-search.js';
import { type NamedEntry, NamedRecords } from '#api/operations/names/named-records.js';
import { Names, namedAs } from '#api/operations/names/names.js';
import { type Pages, paged } from '#api/operations/names/pages.js';
import { recordsOfId, recordText } from '#api/operations/records/records-of-id.js';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { unlessIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { groupPlaces } from './group-places.js';
import { placeOfRecord, type RecordPlace, wordOf } from './place.js';

/** `isAuditor`: set if the caller may open users and records of accounting. */
type SearchOptions = Readonly<{ isAuditor: boolean; limit: number; gone: AbortSignal }>;

/** Maximum slices of time for a search in one kind of records: about a second of the event loop. */
const MOST_SLICES = 100;
/** All searches take turns with other readers of the audit index as one caller. */
const OWNER = 'places';

/** Results of `Go to` in the console (console contract 9). */
@Injectable()
export class PlaceSearch {
  constructor(
    private readonly named: NamedRecords,
    private readonly tenants: TenantQueries,
    private readonly reports: ReportQueries,
    private readonly names: Names,
    @Inject(RESULTS) private readonly results: Results,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** Best first; nothing once the caller is `gone`. */
  async find(text: string, { isAuditor, limit, gone }: SearchOptions): Promise<readonly RecordPlace[]> {
    const wanted = text.trim();
    const words = wanted
      .toLowerCase()
      .split(/[\s·]+/)
      .filter(Boolean);
    const { tenants, reports, results } = this;
    const { kinds } = this.named;
    const sources: (() => Pages<RecordPlace>)[] = [
      () => placesOf('status.tenant', kinds['status.tenant'].all()),
      () => placesOf('status.report', this.named.reports()),
      () => groupPlaces({ tenants, reports, results }, words),
      () => placesOf('messaging.project', kinds['messaging.project'].all(), 'messaging'),
      () => placesOf('messaging.topic', this.named.topics()),
      () => placesOf('messaging.subscription', kinds['messaging.subscription'].all()),
    ];
    if (isAuditor)
      sources.push(
        () => placesOf('accounting.project', kinds['accounting.project'].all(), 'accounting'),
        () => placesOf('user', this.named.users()),
        () => paged(this.named.profiles(), (page) => page.map((entry) => placeOf(entry.kind, entry))),
      );
    const rank = (place: RecordPlace): number => rankOfPlace(place, wanted, words);
    const found = await Promise.all(sources.map((source) => readAcross(() => matching(source(), rank, gone, MOST_SLICES))));
    if (gone.aborted) return [];
    const best = found.flat().sort(bestFirst);
    const byName = best.slice(0, limit).map(({ item }) => item);
    const byId = (await unlessIncomplete(() => this.inLog(wanted, isAuditor), [])).filter(
      ({ id }) => !byName.some((one) => isRecordOf(one, id)),
    );
    return [...byId, ...byName].slice(0, limit);
  }

  /** An event by its index or id, or by its position if it is no index, a request or conversation with events, or records by their id. @throws AuditIndexIncomplete */
  private async inLog(text: string, isAuditor: boolean): Promise<readonly RecordPlace[]> {
    const { index } = this.audit;
    const { size } = index.checkpoint();
    const isNumber = /^\d{1,15}$/.test(text);
    const event = isNumber && Number(text) < size ? Number(text) : await this.audit.pages.indexOf(text, OWNER, size);
    const at = isNumber && event === undefined ? index.indexAt(BigInt(text)) : null;
    return [
      ...(event === undefined ? [] : [placeOfRecord('event', `${event}`, text)]),
      ...(at === null ? [] : [placeOfRecord('event', `${at}`, text, { place: 'at this position' })]),
      ...(index.hasRequest(text) ? [placeOfRecord('request', text, text)] : []),
      ...(index.hasConversation(text) ? [placeOfRecord('conversation', text, text)] : []),
      ...(await this.records(await recordsOfId(new RecordHistory(index, this.events, size), text), isAuditor)),
    ];
  }

  /** By their names, as far as the caller may see them; else by their ids. */
  private async records(found: readonly ResourceReference[], isAuditor: boolean): Promise<readonly RecordPlace[]> {
    const names = await this.names.of(found.flatMap(namedAs));
    return found.map((record) => {
      const of = names.find(({ kind }) => kind === `${record.service}.${record.kind}`);
      const { name = null, place = null, isPerson = false } = of && (isAuditor || !of.isPerson) ? of : {};
      return placeOfRecord('record', recordText(record), name ?? record.id, { place, isPerson });
    });
  }
}

/** @param service in place of the tenant or project of those that have none */
const placeOf = (kind: RecordPlace['kind'], { id, name, place, within, isPerson }: NamedEntry, service?: string): RecordPlace =>
  placeOfRecord(kind, id, name, { place: place ?? service ?? null, within: within ?? null, isPerson: isPerson === true });

const placesOf = (kind: RecordPlace['kind'], entries: Pages<NamedEntry>, service?: string): Pages<RecordPlace> =>
  paged(entries, (page) => page.map((entry) => placeOf(kind, entry, service)));

/** Whether a place is the page of a record, as {@link recordText} names it. */
const isRecordOf = ({ kind, id }: RecordPlace, record: string): boolean => `${kind.replace('.', '/')}/${id}` === record;

const isOfTopology = ({ kind }: RecordPlace): boolean => kind === 'status.group' || kind === 'status.host';

/** Groups and hosts come last among equals, because there are many of them. */
const bestFirst = (one: Ranked<RecordPlace>, other: Ranked<RecordPlace>): number =>
  one.rank - other.rank || Number(isOfTopology(one.item)) - Number(isOfTopology(other.item)) || (one.item.name < other.item.name ? -1 : 1);

/** Match of a text with the name or id, or of all its words with name, kind and place. */
const rankOfPlace = (place: RecordPlace, text: string, words: readonly string[]): number => {
  const rank = rankOf(place.name, place.id, text);
  if (isMatch(rank) || words.length <= 1) return rank;
  const whole = `${place.name} ${wordOf(place)} ${place.place}`.toLowerCase();
  return words.every((word) => whole.includes(word)) ? BY_WORDS : rank;
};
