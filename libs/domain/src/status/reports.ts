import type { EventCatalogue } from '../shared/catalogue.js';
import { type Decider, DomainError } from '../shared/decider.js';
import { aggregationProfiles } from './aggregation-profiles.js';
import type { AnyDated } from './dated-records.js';
import { metricProfiles } from './metric-profiles.js';
import { operationsProfiles } from './operations-profiles.js';
import { thresholdsProfiles } from './thresholds-profiles.js';
import { weights } from './weights.js';

export type ReportComputations = Readonly<{ ar: boolean; status: boolean; trends: readonly string[] }>;
/** Percentages. */
export type ReportThresholds = Readonly<{ availability: number; reliability: number; uptime: number; unknown: number; downtime: number }>;

/** What is computed from which profiles (status contract 12). */
export type Report = Readonly<{
  name: string;
  description: string;
  weight: string;
  disabled: boolean;
  computations: ReportComputations;
  /** Left out: the report has none. */
  thresholds?: ReportThresholds;
  /** A JSON object of any depth, as compact text: key order and the spelling of numbers count. */
  topology_schema: string;
  /** `name` is that of the profile when the report was written. */
  profiles: readonly Readonly<{ id: string; name: string; type: string }>[];
  filter_tags: readonly Readonly<{ name: string; value: string; context: string }>[];
}>;

/** A profile that a report is to refer to; `name` as it is stored, nothing when the tenant has no such profile. */
export type ProfileReference = Readonly<{ id: string; type: string; name: string | undefined }>;
/** A report as a caller wants it: what is left out gets its default. */
export type ReportDraft = Omit<Report, 'computations' | 'thresholds' | 'profiles'> &
  Readonly<{
    computations: ReportComputations | undefined;
    thresholds: ReportThresholds | undefined;
    profiles: readonly ProfileReference[];
  }>;

export type ReportEvent =
  | Readonly<{ type: 'ReportCreated'; data: Readonly<{ id: string; report: Report }> }>
  /** All of the report was replaced. */
  | Readonly<{ type: 'ReportRevised'; data: Readonly<{ id: string; report: Report }> }>
  | Readonly<{ type: 'ReportDeleted'; data: Readonly<{ id: string }> }>;

export type ReportCommand =
  /** `id` is new. */
  | Readonly<{ type: 'CreateReport'; id: string; report: ReportDraft }>
  | Readonly<{ type: 'ReviseReport'; id: string; report: ReportDraft }>
  | Readonly<{ type: 'DeleteReport'; id: string }>;

/** The tenant's reports: names by id, and ids by name. */
export type ReportsState = Readonly<{ names: Map<string, string>; ids: Map<string, string> }>;

export const REPORTS_CATEGORY = 'status.reports';
/** All reports of a tenant share a stream, because their names are unique among them. */
export const streamOfReports = (tenantId: string): string => `${REPORTS_CATEGORY}-${tenantId}`;

export const reportEvents: EventCatalogue = { ReportCreated: {}, ReportRevised: {}, ReportDeleted: {} };

const PROFILE_KINDS: ReadonlyMap<string, AnyDated> = new Map<string, AnyDated>([
  ['metric', metricProfiles],
  ['operations', operationsProfiles],
  ['aggregation', aggregationProfiles],
  ['thresholds', thresholdsProfiles],
  ['weights', weights],
]);

/** The kind of records that a report refers to by a profile type; nothing for a type that does not exist. */
export const profileKind = (type: string): AnyDated | undefined => PROFILE_KINDS.get(type);

const TRENDS = ['flapping', 'status', 'tags'];
const DEFAULT_COMPUTATIONS: ReportComputations = { ar: true, status: true, trends: TRENDS };
const DEFAULT_THRESHOLDS: ReportThresholds = { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 };

type Problem = Readonly<{ message: string; details: string }>;

/** Profiles in order, then trends in order, all that is wrong with them (status contract 12.3). */
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

/** @throws DomainError `REPORT_INVALID` (details `problems`) */
const checkedReport = (draft: ReportDraft, defaultThresholds?: ReportThresholds): Report => {
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
  };
};

const ensureFree = (state: ReportsState, name: string, id: string): void => {
  const holder = state.ids.get(name);
  if (holder !== undefined && holder !== id) throw new DomainError('REPORT_NAME_TAKEN');
};

/** The rules of a tenant's reports. Rejects with `REPORT_INVALID` (details `problems`), `RECORD_NOT_FOUND`, `REPORT_NAME_TAKEN`, in this order. */
export const reports: Decider<ReportsState, ReportCommand, ReportEvent> = {
  initialState: () => ({ names: new Map(), ids: new Map() }),
  decide: (command, state) => {
    const { id } = command;
    switch (command.type) {
      case 'CreateReport': {
        const report = checkedReport(command.report, DEFAULT_THRESHOLDS);
        ensureFree(state, report.name, id);
        return [{ type: 'ReportCreated', data: { id, report } }];
      }
      case 'ReviseReport': {
        const report = checkedReport(command.report);
        if (!state.names.has(id)) throw new DomainError('RECORD_NOT_FOUND');
        ensureFree(state, report.name, id);
        return [{ type: 'ReportRevised', data: { id, report } }];
      }
      case 'DeleteReport': {
        if (!state.names.has(id)) throw new DomainError('RECORD_NOT_FOUND');
        return [{ type: 'ReportDeleted', data: { id } }];
      }
    }
  },
  evolve: (state, { type, data }) => {
    const former = state.names.get(data.id);
    if (former !== undefined) state.ids.delete(former);
    if (type === 'ReportDeleted') {
      state.names.delete(data.id);
    } else {
      state.names.set(data.id, data.report.name);
      state.ids.set(data.report.name, data.id);
    }
    return state;
  },
};
