import { DomainError } from '#domain/shared/decider.js';
import {
  profileKind,
  type ReportCommand,
  type ReportEvent,
  reports,
  shownReport,
  streamOfReports,
} from '#domain/status/reports/reports.js';
import { wireTime } from '#projections/status/layout.js';
import { DocumentRefused, LeftOut, ruleText } from '../migration.js';
import { type Fields, nameIn } from '../read/fields.js';
import type { DocumentOrigin } from '../write/event-ids.js';
import type { MigratedStep, WriteResult } from '../write/log-writer.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { idIn, timesOfInfo } from './documents/members.js';
import { type ExportedReport, isNodeReport, reportDocument } from './documents/report-documents.js';
import { Findings, parsed, type TakenReports, type TenantRow, type TenantScope } from './row.js';
import { withReasons } from './tolerant.js';

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

/** Without `computations` a report computes everything. */
const ALL_ON = { ar: true, status: true, trends: ['flapping', 'status', 'tags'] };

const shown = (fields: Fields, { tenantId, name }: TenantScope, { nodeReports }: Findings): object => {
  const { id, report, created, updated } = reportDocument(fields);
  const { thresholds, ...rest } = report;
  const whole = {
    ...rest,
    ...(thresholds ? { thresholds } : {}),
    computations: report.computations ?? ALL_ON,
    profiles: report.profiles.map(({ id, name = '', type }) => ({ id, name, type })),
  };
  const marks = { public: report.public, node_report: nodeReports.get(tenantId) === id || undefined };
  const document = shownReport(id, whole, wireTime(created), wireTime(updated));
  return { ...document, tenant: name, topology_schema: JSON.parse(report.topology_schema), ...marks };
};

/** A reference to a deleted profile is kept, as in the original. */
const reportRow: TenantRow = {
  collection: 'reports',
  take: ({ writer, report, found }, tenant) => {
    const stream = streamOfReports(tenant.tenantId);
    const taken: TakenReports = { updated: new Map(), marked: [] };
    found.reports.set(tenant.tenantId, taken);
    return async ({ fields, origin, place }) => {
      const [exported, isMarked] = [reportDocument(fields), isNodeReport(fields)];
      const written = await withReasons(writer.decide({ origin, stream, decider: reports, steps: stepsOf(exported) }));
      const { id, created, updated } = exported;
      sayChangedTimes(report, place, timesOfInfo(fields, { created, updated }));
      if (fields.public === false) report.changed(place, 'its mark public is false, which no list of the original shows: it is private');
      const gone = exported.report.profiles.filter((profile) => !isThere(found, tenant, profile)).map(({ type, id }) => `${type} ${id}`);
      if (gone.length > 0) report.note(`report ${id} of ${tenant.name}: these of its profiles are not there: ${gone.join(', ')}`);
      taken.updated.set(id, updated);
      if (isMarked) taken.marked.push({ id, place });
      return written;
    };
  },
  compared: {
    whole: true,
    expected: ({ fields }, { migration, scope }) => shown(fields, scope, migration.found),
    found: async ({ fields }, { queries, scope: { tenantId, name } }) =>
      parsed(await queries.reports.record({ tenantId, id: idIn(fields) }, name)),
  },
};

/**
 * The report of a tenant as a node: the original uses the one named by this collection. If that names none, the first marked report
 * counts.
 */
const nodeReportRow: TenantRow = {
  collection: 'node_report',
  take: ({ writer, report, found }, { tenantId }) => {
    const { updated, marked }: TakenReports = found.reports.get(tenantId) ?? { updated: new Map(), marked: [] };
    const choose = async (id: string, time: string, origin: DocumentOrigin): Promise<WriteResult> => {
      const steps = [{ command: { type: 'ChooseNodeReport', id } as const, time }];
      const written = await writer.decide({ origin, stream: streamOfReports(tenantId), decider: reports, steps });
      found.nodeReports.set(tenantId, id);
      return written;
    };
    const chooseMarked = async ({ id, place }: TakenReports['marked'][number]): Promise<void> => {
      try {
        await choose(id, updated.get(id) ?? '', { collection: 'reports', id: `node report ${place.id}` });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        report.partRefused(place, `its mark node_report is left out: the rules forbid it: ${ruleText(error)}`);
      }
    };
    let named: string | undefined;
    return {
      each: async ({ fields, origin }) => {
        if (named !== undefined) throw new LeftOut('only the first document counts');
        named = nameIn(fields, 'report_id');
        const time = updated.get(named);
        if (time === undefined) throw new DocumentRefused('its report is not there');
        return choose(named, time, origin);
      },
      end: async () => {
        const [first] = marked;
        if (named === undefined && first) {
          named = first.id;
          await chooseMarked(first);
          await writer.flush();
        }
        for (const { id, place } of marked)
          if (id !== named) report.changed(place, 'its mark node_report is left out: another report has it');
      },
    };
  },
  compared: {
    whole: true,
    expected: ({ fields }) => ({ report_id: nameIn(fields, 'report_id') }),
    found: async (_document, { queries, scope }) => ({ report_id: await queries.reports.nodeReportOf(scope.tenantId) }),
  },
};

export const reportRows: readonly TenantRow[] = [reportRow, nodeReportRow];
