import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '#domain/shared/decider.js';
import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import { allByBytes } from '#domain/shared/text/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { type AnyDayList, type DayList, DayParts, type ListDay, streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';
import { ruleText } from '../migration.js';
import type { DocumentPlace } from '../report.js';
import { derivedId } from '../write/event-ids.js';
import type { WriteResult } from '../write/log-writer.js';
import { allPresent, allRefused } from './all-of-list.js';
import { Findings, type StatusMigration, type StatusQueries, type TenantRow, type TenantScope } from './row.js';

/** The list of a day. `version`: differs if its items do. `time`: of its creation. `place`: of its first document. */
type WholeDay<Item> = Readonly<{ day: Day; items: readonly Item[]; version: string; time: string; place: DocumentPlace }>;

/** Writes lists of days. A long list is written in several appends, and exists once the last of them is written. */
export class DayListWriter<Item extends object> {
  constructor(
    private readonly migration: StatusMigration,
    private readonly list: DayList<Item>,
    private readonly tenant: TenantScope,
  ) {}

  /** @throws DomainError `OVER_LIMIT`; WrongExpectedRevision, DomainError `DAY_TAKEN` if the day has another list */
  async write(whole: WholeDay<Item>): Promise<WriteResult> {
    const written = await this.written(whole);
    this.migration.notePostdated(whole.place, `the list of ${whole.day}`, whole.time);
    return written;
  }

  private async written({ day, items: found, version, time }: WholeDay<Item>): Promise<WriteResult> {
    const { list, tenant, migration } = this;
    const { placedBy } = list;
    const items = placedBy ? found.toSorted((one, other) => allByBytes(placedBy(one), placedBy(other))) : found;
    const layout = new DayParts(list);
    for (const item of items) layout.add(item);
    const upload = derivedId('status', 'upload', list.kind, tenant.tenantId, day, version);
    const all = { type: 'ListDay', tenantId: tenant.tenantId, date: day, upload, count: layout.count, parts: layout.parts } as const;
    const commands = [...layout.appends()].map(([first, end]): ListDay<Item> => {
      const parts = Array.from({ length: end - first }, (_, index) => items.slice(...layout.itemsOf(first + index)));
      return { ...all, first, items: parts };
    });
    const stream = streamOfDay(list, tenant.tenantId, day);
    const [only] = commands;
    if (commands.length === 1 && only) {
      const events = list.decider.decide(only, list.decider.initialState());
      return migration.writer.record(
        { collection: list.kind, id: `${day} ${version}` },
        stream,
        events.map((event) => ({ event, time })),
      );
    }
    return this.inSeveralAppends(stream, { commands, version, time });
  }

  private async inSeveralAppends(
    stream: string,
    { commands, version, time }: Readonly<{ commands: readonly ListDay<Item>[] }> & Pick<WholeDay<Item>, 'version' | 'time'>,
  ): Promise<WriteResult> {
    const { writer } = this.migration;
    let written: WriteResult = 'present';
    for (const command of commands) {
      const origin = { collection: this.list.kind, id: `${command.date} ${version} ${command.first}` };
      if ((await writer.decide({ origin, stream, decider: this.list.decider, steps: [{ command, time }] })) === 'written')
        written = 'written';
      await writer.flush();
    }
    return written;
  }

  /** Writes a list whose items are documents of their own, all of which count as taken over. Errors go into the report. */
  async writeDocuments(whole: WholeDay<Item>, documents: number): Promise<void> {
    const { day, place } = whole;
    const { report } = this.migration;
    try {
      if ((await this.write(whole)) === 'present') allPresent(report, place.collection, documents);
    } catch (error) {
      if (!(error instanceof DomainError) && !(error instanceof WrongExpectedRevision)) throw error;
      const reason = error instanceof DomainError ? `the rules forbid it: ${ruleText(error)}` : 'there is another list of this day already';
      const list = Findings.listKey(this.list.kind, this.tenant, day);
      allRefused(this.migration, place, { list, documents, reason: `the list of ${day}: ${reason}` });
    }
  }
}

export const queriesOfList = ({ readStore }: StatusQueries, list: AnyDayList): DayListQueries => new DayListQueries(readStore, list, pause);

/** Counts the written days of a tenant that the queries find. */
export const countedDays =
  (list: AnyDayList): TenantRow['counted'] =>
  async ({ migration, queries, scope }) => {
    const { found } = migration;
    const written = (day: Day): boolean => !found.refusedLists.has(Findings.listKey(list.kind, scope, day));
    const days = [...(found.days.get(Findings.key(list.kind, scope)) ?? [])].filter(written);
    if (days.length === 0) return undefined;
    return { expected: days.length, found: (await queriesOfList(queries, list).eventsOf(scope.tenantId, days)).size };
  };
