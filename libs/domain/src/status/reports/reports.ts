import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { exceededBound, jsonTextSize } from '#domain/shared/json/json-size.js';
import { ended, type Mapping, streamId, text } from '#domain/shared/resource-change.js';
import { inTenantStream, recordOfTenant } from '#domain/status/audited-records.js';
import { aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import type { AnyDated } from '#domain/status/dated-records/dated-records.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { overLimit, RECORD_DEPTH, Sizes, STATUS_LIMITS, sizeOf, sizesAsMap, sizeWithin } from '#domain/status/limits.js';

export type ReportComputations = Readonly<{ ar: boolean; status: boolean; trends: readonly string[] }>;
/** Percentages. */
export type ReportThresholds = Readonly<{ availability: number; reliability: number; uptime: number; unknown: number; downtime: number }>;

/** Computations and the profiles they use (status contract 12). */
export type Report = Readonly<{
  name: string;
  description: string;
  weight: string;
  disabled: boolean;
  computations: ReportComputations;
  /** Absent if the report has none. */
  thresholds?: ReportThresholds;
  /** A JSON object as compact text, because the order of keys and the spelling of numbers matter. */
  topology_schema: string;
  /** `name`: name of the profile when the report was written. */
  profiles: readonly Readonly<{ id: string; name: string; type: string }>[];
  filter_tags: readonly Readonly<{ name: string; value: string; context: string }>[];
  /** Only for a new report. Later events make it public or private. */
  public?: true;
}>;

/** A reference from a report to a profile. `name`: the stored one, `undefined` if the tenant has no such profile. */
export type ProfileReference = Readonly<{ id: string; type: string; name: string | undefined }>;
/** A report as described by a caller. Absent members get their defaults. */
export type ReportDraft = Omit<Report, 'computations' | 'thresholds' | 'profiles'> &
  Readonly<{
    computations: ReportComputations | undefined;
    thresholds: ReportThresholds | undefined;
    profiles: readonly ProfileReference[];
  }>;

export type ReportEvent =
  | Readonly<{ type: 'ReportCreated'; data: Readonly<{ id: string; report: Report }> }>
  /** The report was replaced as a whole. */
  | Readonly<{ type: 'ReportRevised'; data: Readonly<{ id: string; report: Report }> }>
  | Readonly<{ type: 'ReportDeleted'; data: Readonly<{ id: string }> }>
  | Readonly<{ type: 'ReportMadePublic'; data: Readonly<{ id: string }> }>
  | Readonly<{ type: 'ReportMadePrivate'; data: Readonly<{ id: string }> }>
  /** The report replaced the former node report of the tenant. `formerId`: id of the former one, if any. Absent in older events. */
  | Readonly<{ type: 'NodeReportChosen'; data: Readonly<{ id: string; formerId?: string }> }>;

export type ReportCommand =
  /** `id` is new. */
  | Readonly<{ type: 'CreateReport'; id: string; report: ReportDraft }>
  | Readonly<{ type: 'ReviseReport'; id: string; report: ReportDraft }>
  | Readonly<{ type: 'DeleteReport' | 'MakeReportPublic' | 'MakeReportPrivate' | 'ChooseNodeReport'; id: string }>;

/** The tenant's reports: names by id, ids by name, sizes, and the id of the node report. */
type ReportsState = Readonly<{ names: Map<string, string>; ids: Map<string, string>; sizes: Sizes; nodeReport?: string }>;

export const REPORTS_CATEGORY = 'status.reports';
/** All reports of a tenant share a stream, because their names are unique among them. */
export const streamOfReports = (tenantId: string): string => `${REPORTS_CATEGORY}-${tenantId}`;

const report = inTenantStream('report');
/** Changes the new and the former node report. */
const nodeReport: Mapping = (event) =>
  ['id', 'formerId']
    .filter((member) => event.data[member] !== undefined)
    .map((member) => recordOfTenant('report', text(event.data, member), streamId(event)));

export const reportEvents: CatalogueOf<ReportEvent> = {
  ReportCreated: { resource: report },
  ReportRevised: { resource: report },
  ReportDeleted: { resource: ended(report) },
  ReportMadePublic: { resource: report },
  ReportMadePrivate: { resource: report },
  NodeReportChosen: { resource: nodeReport },
};

const PROFILE_KINDS: ReadonlyMap<string, AnyDated> = new Map<string, AnyDated>([
  ['metric', metricProfiles],
  ['operations', operationsProfiles],
  ['aggregation', aggregationProfiles],
  ['thresholds', thresholdsProfiles],
  ['weights', weights],
]);

/** The kind of record for a profile type. `undefined` for an unknown type. */
export const profileKind = (type: string): AnyDated | undefined => PROFILE_KINDS.get(type);

const TRENDS = ['flapping', 'status', 'tags'];
const DEFAULT_COMPUTATIONS: ReportComputations = { ar: true, status: true, trends: TRENDS };
const DEFAULT_THRESHOLDS: ReportThresholds = { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 };

type Problem = Readonly<{ message: string; details: string }>;

/** All problems of the profiles in their order, then of the trends in theirs (status contract 12.3). */
const problemsOf = ({ profiles, computations }: ReportDraft): readonly Problem[] => [
  ...profiles.flatMap(({ id, type, name }): Problem[] => {
    const kind = profileKind(type);
    if (!kind) return [{ message: 'Profile type invalid', details: `Profile type ${type} is invalid` }];
    return name === undefined ? [{ message: 'Profile id not found', details: `No profile in ${kind.kind} was found with id ${id}` }] : [];
  }),
  ...(computations?.trends ?? [])
    .filter((name) => !TRENDS.includes(name))
    .map((name) => ({ message: 'Invalid Trend Name', details: `Trends with the name:${name} doesn't exist` })),
];

/** Placeholder for a time on the wire, `YYYY-MM-DD HH:MM:SS`. */
const TIME = '0000-00-00 00:00:00';
/** Depth of the topology schema in an answer. */
const SCHEMA_DEPTH = RECORD_DEPTH + 1;

/**
 * Members in wire order (status contract 12.1), without `tenant`, which may be renamed. `topology_schema` is a number as a placeholder for the
 * object, whose text is measured separately.
 */
export const shownReport = (id: string, report: Report, created = TIME, updated = TIME): Readonly<Record<string, unknown>> => {
  const { name, description, weight, disabled, computations, thresholds, profiles, filter_tags } = report;
  return {
    id,
    ...(weight === '' ? {} : { weight }),
    disabled,
    info: { name, description, created, updated },
    computations: { ar: computations.ar, status: computations.status, trends: computations.trends },
    ...(thresholds ? { thresholds } : {}),
    topology_schema: 0,
    profiles,
    filter_tags,
  };
};

/** Limits of topology schemas. */
const SCHEMA_BOUNDS = { levels: STATUS_LIMITS.schemaLevels.value, laidOut: STATUS_LIMITS.schemaSize.value } as const;

/** Bytes of a topology schema in an answer. */
const schemaSize = (schema: string): number => jsonTextSize(schema, SCHEMA_DEPTH).laidOut;

/** Number of wildcard patterns in a filter tag. Each is matched against each item of a topology. */
const patternsOf = ({ value, context }: Report['filter_tags'][number]): number => {
  if (context.endsWith('.array')) return value.split(',').length;
  return value.includes('*') ? 1 : 0;
};

/** @throws DomainError `OVER_LIMIT` */
const ensureWithinLimits = ({ topology_schema, ...draft }: ReportDraft): void => {
  sizeWithin('reportSize', draft);
  const exceeded = exceededBound(jsonTextSize(topology_schema, SCHEMA_DEPTH, SCHEMA_BOUNDS), SCHEMA_BOUNDS);
  if (exceeded) throw overLimit(exceeded === 'levels' ? 'schemaLevels' : 'schemaSize');
  if (draft.profiles.length > STATUS_LIMITS.profilesPerReport.value) throw overLimit('profilesPerReport');
  if ((draft.computations?.trends.length ?? 0) > STATUS_LIMITS.trendsPerReport.value) throw overLimit('trendsPerReport');
  const patterns = draft.filter_tags.reduce((sum, tag) => sum + patternsOf(tag), 0);
  if (patterns > STATUS_LIMITS.patternsPerFilter.value) throw overLimit('patternsPerFilter');
};

/** @throws DomainError `OVER_LIMIT`; `REPORT_INVALID` (details `problems`) */
const checkedReport = (draft: ReportDraft, defaultThresholds?: ReportThresholds): Report => {
  ensureWithinLimits(draft);
  const problems = problemsOf(draft);
  if (problems.length > 0) throw new DomainError('REPORT_INVALID', { problems });
  const { name, description, weight, disabled, topology_schema, filter_tags } = draft;
  const thresholds = draft.thresholds ?? defaultThresholds;
  return {
    name,
    description,
    weight,
    disabled,
    computations: draft.computations ?? DEFAULT_COMPUTATIONS,
    ...(thresholds ? { thresholds } : {}),
    topology_schema,
    profiles: draft.profiles.map(({ id, type, name: stored = '' }) => ({ id, name: stored, type })),
    filter_tags,
    ...(draft.public ? { public: true } : {}),
  };
};

const ensureFree = (state: ReportsState, name: string, id: string): void => {
  const holder = state.ids.get(name);
  if (holder !== undefined && holder !== id) throw new DomainError('REPORT_NAME_TAKEN');
};

/** @throws DomainError `OVER_LIMIT` */
const ensureRoom = (state: ReportsState, id: string, report: Report): void =>
  state.sizes.ensureRoom(id, sizeOf(shownReport(id, report)) + schemaSize(report.topology_schema), {
    count: 'recordsPerKind',
    total: 'recordsSizePerKind',
  });

const WITHOUT_DETAILS = {
  DeleteReport: 'ReportDeleted',
  MakeReportPublic: 'ReportMadePublic',
  MakeReportPrivate: 'ReportMadePrivate',
} as const;

/**
 * The rules of a tenant's reports. Rejects, in this order, with `OVER_LIMIT` for an oversized report, `REPORT_INVALID` (details `problems`),
 * `RECORD_NOT_FOUND`, `REPORT_NAME_TAKEN`, and `OVER_LIMIT` if the tenant has no room for it.
 */
export const reports: Decider<ReportsState, ReportCommand, ReportEvent> = {
  snapshots: { name: 'reports', version: 2, ...sizesAsMap<ReportsState>() },
  initialState: () => ({ names: new Map(), ids: new Map(), sizes: new Sizes() }),
  decide: (command, state) => {
    const { id } = command;
    switch (command.type) {
      case 'CreateReport': {
        const report = checkedReport(command.report, DEFAULT_THRESHOLDS);
        ensureFree(state, report.name, id);
        ensureRoom(state, id, report);
        return [{ type: 'ReportCreated', data: { id, report } }];
      }
      case 'ReviseReport': {
        const { public: _, ...draft } = command.report;
        const report = checkedReport(draft);
        if (!state.names.has(id)) throw new DomainError('RECORD_NOT_FOUND');
        ensureFree(state, report.name, id);
        ensureRoom(state, id, report);
        return [{ type: 'ReportRevised', data: { id, report } }];
      }
      case 'ChooseNodeReport': {
        if (!state.names.has(id)) throw new DomainError('RECORD_NOT_FOUND');
        const { nodeReport } = state;
        return [{ type: 'NodeReportChosen', data: { id, ...(nodeReport !== undefined && nodeReport !== id && { formerId: nodeReport }) } }];
      }
      default: {
        if (!state.names.has(id)) throw new DomainError('RECORD_NOT_FOUND');
        return [{ type: WITHOUT_DETAILS[command.type], data: { id } }];
      }
    }
  },
  evolve: (state, { type, data }) => {
    if (type === 'ReportMadePublic' || type === 'ReportMadePrivate') return state;
    if (type === 'NodeReportChosen') return { ...state, nodeReport: data.id };
    const former = state.names.get(data.id);
    if (former !== undefined) state.ids.delete(former);
    if (type === 'ReportDeleted') {
      state.names.delete(data.id);
      state.sizes.delete(data.id);
      const { nodeReport, ...rest } = state;
      if (nodeReport === data.id) return rest;
    } else {
      state.names.set(data.id, data.report.name);
      state.ids.set(data.report.name, data.id);
      state.sizes.set(data.id, sizeOf(shownReport(data.id, data.report)) + schemaSize(data.report.topology_schema));
    }
    return state;
  },
};
