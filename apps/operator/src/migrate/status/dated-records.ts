import { type Day, isDay } from '#domain/shared/time.js';
import { streamOfDated } from '#domain/status/dated-records/dated-records.js';
import { CommandFailed } from '../../command-failed.js';
import { LeftOut, type TakeDocument } from '../migration.js';
import { type Fields, has, quietly, textIn } from '../read/fields.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { dayIn, idIn, madeAt } from './documents/members.js';
import { newestDocuments } from './newest.js';
import type { StatusMigration } from './options.js';
import { type DatedKind, datedKinds } from './profiles.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';
import { remarkFlaws, withRepeatedNames } from './tolerant.js';

/** The day of a snapshot; for snapshots from before 2020, which have none, the operator's day. @throws WrongField, LeftOut */
export const snapshotDay = (fields: Fields, baseDay: Day | undefined): Day => {
  const day = dayIn(fields) ?? baseDay;
  if (day === undefined) throw new LeftOut('it has no day, so the original does not show it: say --base-day to take it over');
  return day;
};

const keyOf = (fields: Fields, baseDay: Day | undefined): string => `${snapshotDay(fields, baseDay)} ${idIn(fields)}`;

/** @throws CommandFailed the operator's day is invalid */
export const baseDayOf = ({ options: { baseDay } }: StatusMigration): Day | undefined => {
  if (baseDay !== undefined && !isDay(baseDay)) throw new CommandFailed('--base-day must be a day, YYYY-MM-DD');
  return baseDay;
};

/** Ids by name, for names shared by several records. */
class Names {
  private readonly ids = new Map<string, Set<string>>();

  add(name: string, id: string): void {
    this.ids.set(name, (this.ids.get(name) ?? new Set()).add(id));
  }

  *repeated(): Generator<string> {
    for (const [name, ids] of this.ids) if (ids.size > 1) yield `${name} (${[...ids].join(', ')})`;
  }
}

const takeKind = async (migration: StatusMigration, kind: DatedKind, tenant: TenantScope, findings: Findings): Promise<void> => {
  const { writer, report } = migration;
  const { resource, record } = kind;
  const file = fileOf(migration, tenant, resource.kind);
  const ids = new Set<string>();
  findings.records.set(Findings.key(resource.kind, tenant), ids);
  if (!file) return;
  const baseDay = baseDayOf(migration);
  const stream = streamOfDated(resource, tenant.tenantId);
  const decider = withRepeatedNames(resource);
  const newest = await newestDocuments(migration, file, (fields) => keyOf(fields, baseDay));
  const names = new Names();
  const take: TakeDocument = async ({ fields, origin, place }) => {
    if (!has(fields, 'id') && has(fields, 'hepspec')) throw new LeftOut('a weight of /factors only: that shows the dated weights');
    const [id, date] = [idIn(fields), snapshotDay(fields, baseDay)];
    if (newest.get(keyOf(fields, baseDay)) !== origin.id) throw new LeftOut('there is a newer document of the same id and day');
    const snapshot = record(fields);
    const known = (await writer.state(stream, decider)).names.has(id);
    const command = { type: known ? 'ReviseRecord' : 'CreateRecord', id, date, record: snapshot, takenOver: true } as const;
    const written = await writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields) }] });
    remarkFlaws(report, place, resource.flawsOf(snapshot));
    if (has(fields, 'date')) sayChangedTimes(report, place, { date: { text: textIn(fields, 'date'), shown: date } });
    names.add(snapshot.name, id);
    ids.add(id);
    return written;
  };
  const sortedBy = (fields: Fields): string => quietly(() => keyOf(fields, baseDay)) ?? '';
  await migration.each(file, take, { sortedBy });
  for (const text of names.repeated()) report.note(`${resource.kind} of ${tenant.name}: several records have the name ${text}`);
};

/** Takes over profiles and weights of a tenant with all their days, each by ascending day. */
export const takeDatedRecords = async (migration: StatusMigration, tenant: TenantScope, findings: Findings): Promise<void> => {
  for (const kind of datedKinds) await takeKind(migration, kind, tenant, findings);
};
