import type { JsonObject } from '#domain/shared/events.js';
import { REPORTS_CATEGORY, type Report, type ReportEvent } from '#domain/status/reports.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants.js';
import { defineProjection } from '../shared/define.js';
import { keyPart } from '../shared/key-part.js';
import { type DocumentChange, type Projection, put, remove, removePrefix } from '../shared/projection.js';
import { laidOut } from './free-json.js';
import { RECORD_DEPTH, wireText, wireTime } from './layout.js';

export const REPORTS_PROJECTION = 'status.reports';

export const reportCollections = {
  /** `<tenant>/<id>` → the record as it stands in a response, but without `tenant`: a tenant may get another name. */
  records: 'reports',
  /** {@link reportNameKey} → {@link ReportDocument}. */
  byName: 'reports.by-name',
} as const;

/** A report for those who look it up by its name; its topology schema is parsed. */
export type ReportDocument = Readonly<{ id: string }> & Omit<Report, 'topology_schema'> & Readonly<{ topology_schema: JsonObject }>;

/** Where a tenant's report of a name is found. */
export const reportNameKey = (tenantId: string, name: string): string => `${tenantId}/${keyPart(name)}`;

const { records, byName } = reportCollections;

/** Members in the order of the wire (status contract 12.1), each laid out for its place. */
const recordText = (id: string, report: Report, created: string, updated: string): string => {
  const { name, description, weight, disabled, computations, thresholds, topology_schema, profiles, filter_tags } = report;
  const members: Readonly<Record<string, unknown>> = {
    id,
    ...(weight === '' ? {} : { weight }),
    disabled,
    info: { name, description, created, updated },
    computations: { ar: computations.ar, status: computations.status, trends: computations.trends },
    ...(thresholds ? { thresholds } : {}),
    topology_schema,
    profiles,
    filter_tags,
  };
  const depth = RECORD_DEPTH + 1;
  const lines = Object.entries(members).map(([member, value]) => {
    const text = member === 'topology_schema' ? laidOut(topology_schema, depth) : wireText(value, depth);
    return `\n${' '.repeat(depth)}${wireText(member)}: ${text}`;
  });
  return `{${lines.join(',')}\n${' '.repeat(RECORD_DEPTH)}}`;
};

/** What later events need of a record: `created` stays, and the name may change. */
type StoredInfo = Readonly<{ name: string; created: string }>;
const infoOf = (record: unknown): StoredInfo => (JSON.parse(String(record)) as Readonly<{ info: StoredInfo }>).info;

const tenantOf = (stream: string): string => stream.slice(REPORTS_CATEGORY.length + 1);

const written = (tenantId: string, id: string, report: Report, created: string, updated: string): DocumentChange[] => [
  put(records, `${tenantId}/${id}`, recordText(id, report, created, updated)),
  put(byName, reportNameKey(tenantId, report.name), {
    id,
    ...report,
    topology_schema: JSON.parse(report.topology_schema),
  } satisfies ReportDocument),
];

/** Reports of every tenant. A record is its text: nothing parsed keeps the order of keys and the numbers of a topology schema. */
export const reportsProjection: Projection = defineProjection<ReportEvent | TenantDeleted>({
  name: REPORTS_PROJECTION,
  version: 1,
  service: 'status',
  categories: [REPORTS_CATEGORY, TENANTS_CATEGORY],
  handles: ['ReportCreated', 'ReportRevised', 'ReportDeleted', 'TenantDeleted'],
  codecs: { [records]: { encode: String, decode: (text) => text } },
  reads: ({ type, stream, data }) =>
    type === 'ReportRevised' || type === 'ReportDeleted' ? [{ collection: records, key: `${tenantOf(stream)}/${data.id}` }] : [],
  apply: (event, read) => {
    if (event.type === 'TenantDeleted') {
      const ofTenant = `${event.data.tenantId}/`;
      return [removePrefix(records, ofTenant), removePrefix(byName, ofTenant)];
    }
    const tenantId = tenantOf(event.stream);
    const { id } = event.data;
    const time = wireTime(event.metadata.time);
    if (event.type === 'ReportCreated') return written(tenantId, id, event.data.report, time, time);
    const stored = read(records, `${tenantId}/${id}`);
    if (stored === undefined) return []; // the tenant was deleted in the meantime
    const { name, created } = infoOf(stored);
    const oldName = remove(byName, reportNameKey(tenantId, name));
    if (event.type === 'ReportDeleted') return [remove(records, `${tenantId}/${id}`), oldName];
    return [oldName, ...written(tenantId, id, event.data.report, created, time)];
  },
});
