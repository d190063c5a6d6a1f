import { type Day, isDay } from '#domain/shared/time.js';
import { streamOfDated } from '#domain/status/dated-records/dated-records.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { CommandFailed } from '../../command-failed.js';
import { LeftOut } from '../migration.js';
import { type Fields, has, quietly, textIn } from '../read/fields.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { dayIn, idIn, madeAt } from './documents/members.js';
import { newestDocuments } from './newest.js';
import { type DatedKind, datedKinds } from './profiles.js';
import { Findings, parsed, type StatusMigration, type TenantRow } from './row.js';
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

const take =
  ({ resource, record }: DatedKind): TenantRow['take'] =>
  async (migration, tenant, file) => {
    const { writer, report, found } = migration;
    const baseDay = baseDayOf(migration);
    const newest = await newestDocuments(migration, file, (fields) => keyOf(fields, baseDay));
    const to = { stream: streamOfDated(resource, tenant.tenantId), decider: withRepeatedNames(resource) };
    const ids = new Set<string>();
    found.records.set(Findings.key(resource.kind, tenant), ids);
    const holders = new Map<string, Set<string>>();
    return {
      sortedBy: (fields) => quietly(() => keyOf(fields, baseDay)) ?? '',
      each: async ({ fields, origin, place }) => {
        if (!has(fields, 'id') && has(fields, 'hepspec')) throw new LeftOut('a weight of /factors only: that shows the dated weights');
        const [id, date] = [idIn(fields), snapshotDay(fields, baseDay)];
        if (newest.get(keyOf(fields, baseDay)) !== origin.id) throw new LeftOut('there is a newer document of the same id and day');
        const snapshot = record(fields);
        const known = (await writer.state(to.stream, to.decider)).names.has(id);
        const command = { type: known ? 'ReviseRecord' : 'CreateRecord', id, date, record: snapshot, takenOver: true } as const;
        const written = await writer.decide({ origin, ...to, steps: [{ command, time: madeAt(fields) }] });
        remarkFlaws(report, place, resource.flawsOf(snapshot));
        if (has(fields, 'date')) sayChangedTimes(report, place, { date: { text: textIn(fields, 'date'), shown: date } });
        holders.set(snapshot.name, (holders.get(snapshot.name) ?? new Set()).add(id));
        ids.add(id);
        return written;
      },
      end: async () => {
        for (const [name, all] of holders)
          if (all.size > 1)
            report.note(`${resource.kind} of ${tenant.name}: several records have the name ${name} (${[...all].join(', ')})`);
      },
    };
  };

/** Profiles and weights of a tenant with all their days, each by ascending day. */
export const datedRows: readonly TenantRow[] = datedKinds.map((kind) => ({
  collection: kind.resource.kind,
  twice: true,
  take: take(kind),
  compared: {
    whole: true,
    expected: ({ fields }, { migration }) => ({
      id: idIn(fields),
      date: snapshotDay(fields, baseDayOf(migration)),
      ...kind.record(fields),
    }),
    found: async ({ fields }, { migration, queries, scope: { tenantId } }) => {
      const dated = new DatedQueries(queries.readStore, kind.resource);
      return parsed(await dated.snapshot({ tenantId, id: idIn(fields) }, snapshotDay(fields, baseDayOf(migration))));
    },
  },
}));
