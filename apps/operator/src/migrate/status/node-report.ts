import { reports, streamOfReports } from '#domain/status/reports/reports.js';
import { LeftOut, Refused, type TakeDocument } from '../migration.js';
import { nameIn } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import type { Origin } from '../write/event-ids.js';
import type { WriteResult } from '../write/log-writer.js';
import type { StatusMigration } from './options.js';
import { type Findings, fileOf, type TenantScope } from './tenant-scope.js';

/** The reports of a tenant that were taken: when each was last written, by id, and those marked as the report of the tenant as a node. */
export type TakenReports = Readonly<{ updated: Map<string, string>; marked: Readonly<{ id: string; place: DocumentPlace }>[] }>;

/**
 * The report of a tenant as a node: the original answers with the one that the collection `node_report` names. Where that names none, the first report
 * that is marked counts.
 */
export const takeNodeReport = async (
  migration: StatusMigration,
  tenant: TenantScope,
  { updated, marked }: TakenReports,
  { nodeReports }: Findings,
): Promise<void> => {
  const { writer, report } = migration;
  const choose = (id: string, time: string, origin: Origin): Promise<WriteResult> => {
    nodeReports.set(tenant.tenantId, id);
    const steps = [{ command: { type: 'ChooseNodeReport', id } as const, time }];
    return writer.decide({ origin, stream: streamOfReports(tenant.tenantId), decider: reports, steps });
  };
  let named: string | undefined;
  const take: TakeDocument = async ({ fields, origin }) => {
    if (named !== undefined) throw new LeftOut('only the first document counts');
    named = nameIn(fields, 'report_id');
    const time = updated.get(named);
    if (time === undefined) throw new Refused('its report is not there');
    return choose(named, time, origin);
  };
  await migration.each(fileOf(migration, tenant, 'node_report'), take);
  const [first] = marked;
  if (named === undefined && first) {
    named = first.id;
    await choose(first.id, updated.get(first.id) ?? '', { collection: 'reports', id: `node report ${first.place.id}` });
    await writer.flush();
  }
  for (const { id, place } of marked) if (id !== named) report.changed(place, 'its mark node_report is left out: another report has it');
};
