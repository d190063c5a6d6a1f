import { profileKind, type ReportCommand, type ReportEvent, reports, streamOfReports } from '#domain/status/reports/reports.js';
import type { Take } from '../migration.js';
import type { Step } from '../write/log-writer.js';
import { madeAt } from './members.js';
import type { StatusMigration } from './options.js';
import { type ExportedReport, nodeReportIn, reportDocument } from './report-documents.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';
import { withReasons } from './tolerant.js';

/** It was made, written once more if that was later, and marked. Only what is written once more can be without thresholds. */
const stepsOf = ({ id, report, isOfNode, created, updated }: ExportedReport): readonly Step<ReportCommand, ReportEvent>[] => [
  { command: { type: 'CreateReport', id, report }, time: created },
  ...(updated !== created || !report.thresholds ? [{ command: { type: 'ReviseReport', id, report } as const, time: updated }] : []),
  ...(isOfNode ? [{ command: { type: 'ChooseNodeReport', id } as const, time: updated }] : []),
];

/** Whether the tenant has a profile that a report refers to. */
const isThere = (findings: Findings, tenant: TenantScope, { id, type }: Readonly<{ id: string; type: string }>): boolean => {
  const kind = profileKind(type)?.kind;
  return kind === undefined || (findings.records.get(Findings.key(kind, tenant))?.has(id) ?? false);
};

/** Reports of a tenant. A profile that is gone stays referred to, as in the original. */
export const takeReports = async (migration: StatusMigration, tenant: TenantScope, findings: Findings): Promise<void> => {
  const { writer, report: found } = migration;
  const stream = streamOfReports(tenant.tenantId);
  const take: Take = async ({ fields, origin }) => {
    const exported = reportDocument(fields);
    const written = await withReasons(writer.decide({ origin, stream, decider: reports, steps: stepsOf(exported) }));
    const gone = exported.report.profiles.filter((profile) => !isThere(findings, tenant, profile)).map(({ type, id }) => `${type} ${id}`);
    if (gone.length > 0) found.note(`report ${exported.id} of ${tenant.name}: these of its profiles are not there: ${gone.join(', ')}`);
    if (exported.isOfNode) findings.nodeReports.set(tenant.tenantId, exported.id);
    return written;
  };
  await migration.each(fileOf(migration, tenant, 'reports'), take);
  const takeNodeReport: Take = async ({ fields, origin }) => {
    const id = nodeReportIn(fields);
    const steps = [{ command: { type: 'ChooseNodeReport', id } as const, time: madeAt(fields) }];
    const written = await writer.decide({ origin, stream, decider: reports, steps });
    findings.nodeReports.set(tenant.tenantId, id);
    return written;
  };
  await migration.each(fileOf(migration, tenant, 'node_report'), takeNodeReport);
};
