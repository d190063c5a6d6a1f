import type { Json, JsonObject } from '#domain/shared/events.js';
import { REPORTS_CATEGORY, type Report, type ReportEvent, shownReport } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { laidOut } from '#projections/status/free-json.js';
import { memberText, RECORD_DEPTH, wireText, wireTime } from '#projections/status/layout.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { REPORTS, type ReportHead, type ReportId, type ReportRecord, reportCollections } from './documents.js';

const { records, byName, nodeReport } = reportCollections;

type On<Type extends ReportEvent['type']> = EventOf<Extract<ReportEvent, { type: Type }>>;

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The types of a topology schema (`{"group":{"type":…,"group":…}}`), from the outermost group inwards. A missing type is empty. */
export const schemaTypes = (schema: JsonObject): readonly string[] => {
  const types: string[] = [];
  for (let level: Json | undefined = schema; isObject(level) && isObject(level.group); level = level.group) {
    types.push(typeof level.group.type === 'string' ? level.group.type : '');
  }
  return types;
};

/** Members in wire order (status contract 12.1), each laid out for its depth. */
const membersText = ({ id, created }: ReportHead, report: Report, updated: string): string => {
  const depth = RECORD_DEPTH + 1;
  const { id: _, ...members } = shownReport(id, report, created, updated);
  const lines = Object.entries(members).map(([member, value]) => {
    const text = member === 'topology_schema' ? laidOut(report.topology_schema, depth) : wireText(value, depth);
    return memberText(member, text, RECORD_DEPTH);
  });
  return `${lines.join(',')}\n${' '.repeat(RECORD_DEPTH)}}`;
};

const idIn = ({ stream, data }: Readonly<{ stream: string; data: Readonly<{ id: string }> }>): ReportId => ({
  tenantId: stream.slice(REPORTS_CATEGORY.length + 1),
  id: data.id,
});

type KeptReport = Readonly<{ created: string; public?: true | undefined }>;

const written = (
  { tenantId, id }: ReportId,
  report: Report,
  { created, public: isPublic }: KeptReport,
  updated: string,
): readonly DocumentChange[] => {
  const { name, topology_schema, profiles, filter_tags, computations, disabled } = report;
  const head: ReportHead = { id, name, created, ...(isPublic && { public: true }) };
  return [
    records.put({ tenantId, id }, { head, body: membersText(head, report, updated) }),
    byName.put({ tenantId, name }, { id, types: schemaTypes(JSON.parse(topology_schema)), profiles, filter_tags, computations, disabled }),
  ];
};

/** Handler of a report's event. Ignored if the tenant was deleted meanwhile. */
const ofReport = <Event extends EventOf<ReportEvent>>(
  apply: (report: ReportId, record: ReportRecord, event: Event) => readonly DocumentChange[],
) =>
  reading(
    (event: Event) => ({ record: records.at(idIn(event)) }),
    (event, { record }) => (record ? apply(idIn(event), record, event) : []),
  );

/** Reports of all tenants, by id and by name. */
export const reportsProjection = readModel<ReportEvent | TenantDeleted>(
  {
    name: REPORTS,
    version: 5,
    readsFrom: 4, // first version with computations
    service: 'status',
    categories: [REPORTS_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(reportCollections),
    partitionsOf: tenantPartitionsOf([REPORTS_CATEGORY]),
  },
  {
    ReportCreated: (event) => {
      const time = wireTime(event.metadata.time);
      return written(idIn(event), event.data.report, { created: time, public: event.data.report.public }, time);
    },
    ReportRevised: ofReport((report, { head }, { data, metadata }: On<'ReportRevised'>) => [
      byName.remove({ tenantId: report.tenantId, name: head.name }),
      ...written(report, data.report, head, wireTime(metadata.time)),
    ]),
    ReportDeleted: ofReport((report, { head: { name } }, _event: On<'ReportDeleted'>) => [
      records.remove(report),
      byName.remove({ tenantId: report.tenantId, name }),
    ]),
    ReportMadePublic: ofReport((report, { head, body }, _event: On<'ReportMadePublic'>) => [
      records.put(report, { head: { ...head, public: true }, body }),
    ]),
    ReportMadePrivate: ofReport((report, { head: { public: _, ...head }, body }, _event: On<'ReportMadePrivate'>) => [
      records.put(report, { head, body }),
    ]),
    NodeReportChosen: ofReport(({ tenantId, id }, _record, _event: On<'NodeReportChosen'>) => [nodeReport.put(tenantId, id)]),
    TenantDeleted: ({ data: { tenantId } }) => [
      nodeReport.remove(tenantId),
      records.removeUnder(`${tenantId}/`),
      byName.removeUnder(`${tenantId}/`),
    ],
  },
);
