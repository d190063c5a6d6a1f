import type { Json, JsonObject } from '#domain/shared/events.js';
import { exceededBound, jsonTextSize } from '#domain/shared/json-size.js';
import { REPORTS_CATEGORY, type Report, type ReportEvent, SCHEMA_BOUNDS, shownReport } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import { keyPart } from '#projections/shared/key-part.js';
import { escapeMarkup } from '#projections/shared/layout.js';
import { type DocumentChange, type Projection, put, remove, removePrefix } from '#projections/shared/projection.js';
import { laidOut } from '#projections/status/free-json.js';
import { RECORD_DEPTH, wireText, wireTime } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const REPORTS_PROJECTION = 'status.reports';

export const reportCollections = {
  /** `<tenant>/<id>` → the record as it stands in a response, but without `tenant`: a tenant may get another name. */
  records: 'reports',
  /** {@link reportNameKey} → {@link ReportDocument}. */
  byName: 'reports.by-name',
} as const;

/** A report for those who look it up by its name. `types`: those of its topology schema, from the outermost group inwards. */
export type ReportDocument = Readonly<{ id: string; types: readonly string[] }> & Pick<Report, 'profiles' | 'filter_tags'>;

/** Where a tenant's report of a name is found. */
export const reportNameKey = (tenantId: string, name: string): string => `${tenantId}/${keyPart(name)}`;

const { records, byName } = reportCollections;

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The types of a topology schema (`{"group":{"type":…,"group":…}}`) from the outermost group inwards; one that is missing is empty. */
export const schemaTypes = (schema: JsonObject): readonly string[] => {
  const types: string[] = [];
  for (let level: Json | undefined = schema; isObject(level) && isObject(level.group); level = level.group) {
    types.push(typeof level.group.type === 'string' ? level.group.type : '');
  }
  return types;
};

/** A schema of older days may be so deep and long that its layout is longer than a text can be: it stays on one line. */
const schemaText = (schema: string, depth: number): string =>
  exceededBound(jsonTextSize(schema, depth, SCHEMA_BOUNDS), SCHEMA_BOUNDS) ? escapeMarkup(schema) : laidOut(schema, depth);

/** Members in the order of the wire (status contract 12.1), each laid out for its place. */
const recordText = (id: string, report: Report, created: string, updated: string): string => {
  const depth = RECORD_DEPTH + 1;
  const lines = Object.entries(shownReport(id, report, created, updated)).map(([member, value]) => {
    const text = member === 'topology_schema' ? schemaText(report.topology_schema, depth) : wireText(value, depth);
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
    types: schemaTypes(JSON.parse(report.topology_schema)),
    profiles: report.profiles,
    filter_tags: report.filter_tags,
  } satisfies ReportDocument),
];

/** Reports of every tenant. A record is its text: nothing parsed keeps the order of keys and the numbers of a topology schema. */
export const reportsProjection: Projection = defineProjection<ReportEvent | TenantDeleted>({
  name: REPORTS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [REPORTS_CATEGORY, TENANTS_CATEGORY],
  handles: ['ReportCreated', 'ReportRevised', 'ReportDeleted', 'TenantDeleted'],
  codecs: { [records]: { encode: String, decode: (text) => text } },
  partitions: byTenant([REPORTS_CATEGORY], [records, byName]),
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
