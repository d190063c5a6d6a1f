import { Inject, Injectable } from '@nestjs/common';
import { NAMED_KINDS, type NamedKind, Names } from '#api/operations/names/names.js';
import { lookedThrough, NONE, rankOf, Suggestions } from '#api/operations/names/suggestions.js';
import { recordsOfId, recordText } from '#api/operations/records/records-of-id.js';
import { AUDIT_EVENTS, EVENT_STORE, READ_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { kindOfDated } from '#domain/status/dated-records/dated-records.js';
import { datedResources } from '#domain/status/index.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { inParts } from '#projections/messaging/newest-first.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { groupPlaces } from './group-places.js';
import { PLACE_KINDS, type Place, placed, wordOf } from './place.js';

type Places = AsyncIterable<readonly Place[]>;

/** `isAuditor`: set if the caller may open users and records of accounting. */
type SearchOptions = Readonly<{ isAuditor: boolean; limit: number; gone: AbortSignal }>;

/** Maximum slices of time for a search in one kind of records: about a second of the event loop. */
const MOST_SLICES = 100;
const AT_A_TIME = 1_000;
/** All searches take turns with other readers of the audit index as one caller. */
const OWNER = 'places';

/** Results of `Go to` in the console (console contract 9). */
@Injectable()
export class PlaceSearch {
  constructor(
    private readonly suggestions: Suggestions,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly tenants: TenantQueries,
    private readonly reports: ReportQueries,
    private readonly names: Names,
    @Inject(RESULTS) private readonly results: Results,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** Best first; nothing once the caller is `gone`. */
  async find(text: string, { isAuditor, limit, gone }: SearchOptions): Promise<readonly Place[]> {
    const wanted = text.trim();
    const words = wanted
      .toLowerCase()
      .split(/[\s·]+/)
      .filter(Boolean);
    const { tenants, reports, results } = this;
    const sources: (() => Places)[] = [
      () => this.tenantPlaces(),
      () => this.reportPlaces(),
      () => groupPlaces({ tenants, reports, results }, words),
      () => this.messagingPlaces(),
    ];
    if (isAuditor)
      sources.push(
        () => this.accountingProjects(),
        () => this.users(),
        () => this.profilePlaces(),
      );
    const found = await Promise.all(sources.map((source) => readAcross(() => fitting(source(), wanted, words, gone))));
    if (gone.aborted) return [];
    const best = found.flat().sort(bestFirst);
    const byName = best.slice(0, limit).map(({ place }) => place);
    const byId = (await this.inLog(text.trim(), isAuditor)).filter(({ id }) => !byName.some((one) => isRecordOf(one, id)));
    return [...byId, ...byName].slice(0, limit);
  }

  /** An event by its index or id, or by its position if it is no index, a request or conversation with events, or records by their id; empty while the audit index is built. */
  private async inLog(text: string, isAuditor: boolean): Promise<readonly Place[]> {
    const { index } = this.audit;
    try {
      const { size } = index.checkpoint();
      const isNumber = /^\d{1,15}$/.test(text);
      const event = isNumber && Number(text) < size ? Number(text) : await this.audit.pages.indexOf(text, OWNER, size);
      const at = isNumber && event === undefined ? index.indexAt(BigInt(text)) : null;
      return [
        ...(event === undefined ? [] : [placed('event', `${event}`, text)]),
        ...(at === null ? [] : [placed('event', `${at}`, text, { place: 'at this position' })]),
        ...(index.hasRequest(text) ? [placed('request', text, text)] : []),
        ...(index.hasConversation(text) ? [placed('conversation', text, text)] : []),
        ...(await this.records(await recordsOfId(new RecordHistory(index, this.events, size), text), isAuditor)),
      ];
    } catch (error) {
      if (error instanceof AuditIndexIncomplete) return [];
      throw error;
    }
  }

  private async *tenantPlaces(): Places {
    for await (const page of this.suggestions.candidates('status.tenant'))
      yield page.map(({ id, name }) => placed('status.tenant', id, name));
  }

  private async *reportPlaces(): Places {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      for (const { id, info } of page) {
        const names = await this.reports.names(id, AT_A_TIME, new TimeSlice());
        yield names.map((name) => placed('status.report', name, name, { place: info.name, within: id }));
      }
  }

  /** By the newest names of profiles and weights. */
  private async *profilePlaces(): Places {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      for (const { id: tenantId, info } of page)
        for (const resource of datedResources) {
          const kind = PLACE_KINDS.find((one) => one === `status.${kindOfDated(resource)}`);
          if (!kind) continue;
          for await (const found of new DatedQueries(this.store, resource).newestNames(tenantId, new TimeSlice()))
            yield found.map(({ id, name }) => placed(kind, id, name, { place: info.name, within: tenantId }));
        }
  }

  /** By their names, as far as the caller may see them; else by their ids. */
  private async records(found: readonly ResourceReference[], isAuditor: boolean): Promise<readonly Place[]> {
    const named = found.flatMap(({ service, kind, id }) => namedKind(`${service}.${kind}`).map((one) => ({ kind: one, id })));
    const names = await this.names.of(named);
    return found.map((record) => {
      const of = names.find(({ kind }) => kind === `${record.service}.${record.kind}`);
      const { name = null, place = null, isPerson = false } = of && (isAuditor || !of.isPerson) ? of : {};
      return placed('record', recordText(record), name ?? record.id, { place, isPerson });
    });
  }

  private async *messagingPlaces(): Places {
    const slice = new TimeSlice();
    const all = { size: 0, counted: false } as const;
    for (const { projectId, name: project } of await this.accounts.allProjects(slice)) {
      const inProject = { place: project, within: project };
      yield [placed('messaging.project', projectId, project, { place: 'messaging' })];
      for await (const { items } of inParts((page) => this.resources.topics(projectId, page), all, slice))
        yield items.map(({ topicId, name }) => placed('messaging.topic', topicId, name, inProject));
      for await (const { items } of inParts((page) => this.resources.subscriptions(projectId, page), all, slice))
        yield items.map(({ subscriptionId, name }) => placed('messaging.subscription', subscriptionId, name, inProject));
    }
  }

  private async *accountingProjects(): Places {
    for await (const page of this.suggestions.candidates('accounting.project'))
      yield page.map(({ id, name }) => placed('accounting.project', id, name, { place: 'accounting' }));
  }

  private async *users(): Places {
    for await (const page of this.suggestions.users())
      yield page.map(({ id, name, place, service, isPerson = false }) => placed('user', id, name, { place: place ?? service, isPerson }));
  }
}

const namedKind = (kind: string): readonly NamedKind[] => NAMED_KINDS.filter((one) => one === kind);

/** Whether a place is the page of a record, as {@link recordText} names it. */
const isRecordOf = ({ kind, id }: Place, record: string): boolean => `${kind.replace('.', '/')}/${id}` === record;

type Ranked = Readonly<{ place: Place; rank: number }>;

const isOfTopology = ({ kind }: Place): boolean => kind === 'status.group' || kind === 'status.host';

/** Groups and hosts come last among equals, because there are many of them. */
const bestFirst = (one: Ranked, other: Ranked): number =>
  one.rank - other.rank ||
  Number(isOfTopology(one.place)) - Number(isOfTopology(other.place)) ||
  (one.place.name < other.place.name ? -1 : 1);

/** Matches for a text: in the name, or all its words in name, kind and place. */
const fitting = async (places: Places, text: string, words: readonly string[], gone: AbortSignal): Promise<readonly Ranked[]> => {
  const found: Ranked[] = [];
  for await (const page of lookedThrough(places, gone, MOST_SLICES))
    for (const place of page) {
      const rank = rankOf(place.name, place.id, text);
      if (rank < NONE) found.push({ place, rank });
      else if (words.length > 1 && words.every((word) => `${place.name} ${wordOf(place)} ${place.place}`.toLowerCase().includes(word)))
        found.push({ place, rank: NONE });
    }
  return found;
};
