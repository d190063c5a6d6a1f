import { profileKind, type ReportCommand, type ReportEvent, reports, streamOfReports } from '#domain/status/reports/reports.js';
import { DocumentRefused, LeftOut, type TakeDocument } from '../migration.js';
import { nameIn } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import type { DocumentOrigin } from '../write/event-ids.js';
import type { MigratedStep, WriteResult } from '../write/log-writer.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { timesOfInfo } from './documents/members.js';
import { type ExportedReport, isNodeReport, reportDocument } from './documents/report-documents.js';
import type { StatusMigration } from './options.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';
import { withReasons } from './tolerant.js';

/** The reports of a tenant that were taken over: time of the last write by id, and the reports marked as that of the tenant as a node. */
type TakenReports = Readonly<{ updated: Map<string, string>; marked: Readonly<{ id: string; place: DocumentPlace }>[] }>;

/**
 * The report of a tenant as a node: the original uses the one named by the collection `node_report`. If that names none, the first marked
 * report counts.
 */
const takeNodeReport = async (
  migration: StatusMigration,
  tenant: TenantScope,
  { updated, marked }: TakenReports,
  { nodeReports }: Findings,
): Promise<void> => {
  const { writer, report } = migration;
  const choose = (id: string, time: string, origin: DocumentOrigin): Promise<WriteResult> => {
    nodeReports.set(tenant.tenantId, id);
    const steps = [{ command: { type: 'ChooseNodeReport', id } as const, time }];
    return writer.decide({ origin, stream: streamOfReports(tenant.tenantId), decider: reports, steps });
  };
  let named: string | undefined;
  const take: TakeDocument = async ({ fields, origin }) => {
    if (named !== undefined) throw new LeftOut('only the first document counts');
    named = nameIn(fields, 'report_id');
    const time = updated.get(named);
    if (time === undefined) throw new DocumentRefused('its report is not there');
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

/** Creation, and a later update if there was one. Only an update can be without thresholds. */
const stepsOf = ({ id, report, created, updated }: ExportedReport): readonly MigratedStep<ReportCommand, ReportEvent>[] => [
  { command: { type: 'CreateReport', id, report }, time: created },
  ...(updated !== created || !report.thresholds ? [{ command: { type: 'ReviseReport', id, report } as const, time: updated }] : []),
];

/** Returns whether the tenant has a profile that a report refers to. */
const isThere = (findings: Findings, tenant: TenantScope, { id, type }: Readonly<{ id: string; type: string }>): boolean => {
  const kind = profileKind(type)?.kind;
  return kind === undefined || (findings.records.get(Findings.key(kind, tenant))?.has(id) ?? false);
};

/** Takes over reports of a tenant. A reference to a deleted profile is kept, as in the original. */
export const takeReports = async (migration: StatusMigration, tenant: TenantScope, findings: Findings): Promise<void> => {
  const { writer, report: found } = migration;
  const stream = streamOfReports(tenant.tenantId);
  const reportsOfTenant: TakenReports = { updated: new Map(), marked: [] };
  const take: TakeDocument = async ({ fields, origin, place }) => {
    const [exported, marked] = [reportDocument(fields), isNodeReport(fields)];
    const written = await withReasons(writer.decide({ origin, stream, decider: reports, steps: stepsOf(exported) }));
    const { created, updated } = exported;
    sayChangedTimes(found, place, timesOfInfo(fields, { created, updated }));
    if (fields.public === false) found.changed(place, 'its mark public is false, which no list of the original shows: it is private');
    const gone = exported.report.profiles.filter((profile) => !isThere(findings, tenant, profile)).map(({ type, id }) => `${type} ${id}`);
    if (gone.length > 0) found.note(`report ${exported.id} of ${tenant.name}: these of its profiles are not there: ${gone.join(', ')}`);
    reportsOfTenant.updated.set(exported.id, exported.updated);
    if (marked) reportsOfTenant.marked.push({ id: exported.id, place });
    return written;
  };
  await migration.each(fileOf(migration, tenant, 'reports'), take);
  await takeNodeReport(migration, tenant, reportsOfTenant, findings);
};
