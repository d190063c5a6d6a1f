import type { CatalogueOf, Mentions } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { ended, type Mapping, text } from '#domain/shared/resource-change.js';
import { zuluSecond } from '#domain/shared/time.js';
import { recordOfTenant } from '#domain/status/audited-records.js';
import { overLimit, STATUS_LIMITS, sizeOf, sizeWithin } from '#domain/status/limits.js';

export const RECOMPUTATION_STATUSES = ['pending', 'approved', 'rejected', 'running', 'done'] as const;
export type RecomputationStatus = (typeof RECOMPUTATION_STATUSES)[number];

type ExcludedPlace = Readonly<{ metric?: string; hostname?: string; service?: string; group?: string }>;

/** Data to exclude from the results or to override in them, besides whole groups. */
export type Exclusions = Readonly<{
  exclude_metrics: readonly ExcludedPlace[];
  exclude_monitoring_source: readonly Readonly<{ host: string; start_time: string; end_time: string }>[];
  applied_status_changes: readonly (ExcludedPlace & Readonly<{ state?: string }>)[];
}>;

/** A request to compute results again (status contract 11). `report`: a name. Times are expected in UTC, `YYYY-MM-DDTHH:MM:SSZ`. */
export type RecomputationRequest = Readonly<{
  requester_name: string;
  requester_email: string;
  reason: string;
  start_time: string;
  end_time: string;
  report: string;
  exclude: readonly string[];
}>;

/** Copies only the members of a request, in wire order. */
export const requestOf = ({
  requester_name,
  requester_email,
  reason,
  start_time,
  end_time,
  report,
  exclude,
}: RecomputationRequest): RecomputationRequest => ({ requester_name, requester_email, reason, start_time, end_time, report, exclude });

const LISTS = ['exclude_metrics', 'exclude_monitoring_source', 'applied_status_changes'] as const;

/** Copies only the lists of exclusions that are given. */
export const givenLists = ({
  exclude_metrics,
  exclude_monitoring_source,
  applied_status_changes,
}: Partial<Exclusions>): Partial<Exclusions> => ({
  ...(exclude_metrics ? { exclude_metrics } : {}),
  ...(exclude_monitoring_source ? { exclude_monitoring_source } : {}),
  ...(applied_status_changes ? { applied_status_changes } : {}),
});

/** Bytes of lists of exclusions in an answer. */
type ListSizes = Readonly<Partial<Record<keyof Exclusions, number>>>;

const sizesOf = (lists: Partial<Exclusions>): ListSizes =>
  Object.fromEntries(LISTS.flatMap((name) => (lists[name] ? [[name, sizeOf({ [name]: lists[name] })]] : [])));

type Identity = Readonly<{ tenantId: string; id: string }>;

export type RecomputationEvent =
  | Readonly<{ type: 'RecomputationRequested'; data: Identity & RecomputationRequest & Exclusions }>
  /** The request was replaced. Absent lists of exclusions are unchanged. */
  | Readonly<{ type: 'RecomputationRevised'; data: Identity & RecomputationRequest & Partial<Exclusions> }>
  /** The status was changed (`set`) or returned to `pending` (`reset`). Actor and time are in the metadata. */
  | Readonly<{ type: 'RecomputationStatusChanged'; data: Identity & Readonly<{ status: RecomputationStatus; change: 'set' | 'reset' }> }>
  | Readonly<{ type: 'RecomputationDeleted'; data: Identity }>;

export type RecomputationAction =
  /** `takenOver`: the request is migrated from the original service, which requires no parameters and does not check times. */
  | Readonly<{ type: 'RequestRecomputation'; request: RecomputationRequest & Exclusions; takenOver?: true }>
  | Readonly<{ type: 'ReviseRecomputation'; request: RecomputationRequest & Partial<Exclusions> }>
  | Readonly<{ type: 'SetRecomputationStatus'; status: string }>
  | Readonly<{ type: 'ResetRecomputationStatus' }>
  | Readonly<{ type: 'DeleteRecomputation' }>
  /** By the system: an approved recomputation starts running. */
  | Readonly<{ type: 'BeginRecomputation'; version: number }>
  /** By the system: the results of a running recomputation are computed. */
  | Readonly<{ type: 'CompleteRecomputation'; version: number }>;
export type RecomputationCommand = Identity & RecomputationAction;

/**
 * `tenantId`, `status`: present while the recomputation exists. `used`: whether the stream ever had one. `changes`: number of status changes.
 * `version`: number of events in the stream. `sizes`: of the lists of exclusions.
 */
type RecomputationState = Readonly<{
  tenantId?: string;
  status?: RecomputationStatus;
  used: boolean;
  changes: number;
  version: number;
  sizes: ListSizes;
}>;

export const RECOMPUTATIONS_CATEGORY = 'status.recomputation';
export const streamOfRecomputation = (id: string): string => `${RECOMPUTATIONS_CATEGORY}-${id}`;

/** Encryption subject of the requester. */
export const recomputationSubject = (id: unknown): string => `recomputation-${id}`;
const sensitive = { subject: ({ id }: { id?: unknown }) => recomputationSubject(id), members: ['requester_name', 'requester_email'] };
const marks = { requester_name: 'personal', requester_email: 'personal' } as const;

/** Encryption subjects of all recomputations of a tenant. */
export const recomputationsOf = (tenantId: unknown): Mentions => ({
  in: { categories: [RECOMPUTATIONS_CATEGORY] },
  subjects: ({ type, data }) => (type === 'RecomputationRequested' && data.tenantId === tenantId ? [recomputationSubject(data.id)] : []),
});

const audited: Mapping = ({ data }) => [recordOfTenant('recomputation', text(data, 'id'), text(data, 'tenantId'))];

export const recomputationEvents: CatalogueOf<RecomputationEvent> = {
  RecomputationRequested: { resource: audited, sensitive, marks },
  RecomputationRevised: { resource: audited, sensitive, marks },
  RecomputationStatusChanged: { resource: audited },
  RecomputationDeleted: { resource: ended(audited), forgets: ({ id }) => [recomputationSubject(id)] },
};

type Problem = Readonly<{ message: string; details: string }>;

const REQUIRED = ['start_time', 'end_time', 'reason', 'requester_name', 'requester_email', 'report'] as const;

/** One problem per missing or malformed parameter, in the order of status contract 11.3. */
export const problemsOf = (request: RecomputationRequest): readonly Problem[] =>
  REQUIRED.flatMap((parameter): Problem[] => {
    const value = request[parameter];
    if (value === '') return [{ message: 'Missing parameter', details: `Parameter ${parameter} is required` }];
    if (!parameter.endsWith('_time') || zuluSecond(value) !== undefined) return [];
    return [{ message: 'Malformed parameter', details: `Parameter ${parameter}: ${value} is not in the form of YYYY-MM-DDTHH:MM:SSZ` }];
  });

/** Values are compared exactly. */
export const isEligible = (status: string): status is RecomputationStatus => RECOMPUTATION_STATUSES.some((one) => one === status);

const eligible = (status: string): RecomputationStatus => {
  if (!isEligible(status)) throw new DomainError('RECOMPUTATION_STATUS_INELIGIBLE');
  return status;
};

type StatusChanged = Extract<RecomputationEvent, { type: 'RecomputationStatusChanged' }>;

/** @throws DomainError `OVER_LIMIT`, because the history is part of every answer */
const statusChange = (data: StatusChanged['data'], { changes }: RecomputationState): StatusChanged => {
  if (changes >= STATUS_LIMITS.statusChanges.value) throw overLimit('statusChanges');
  return { type: 'RecomputationStatusChanged', data };
};

/**
 * @param known sizes of the lists before. Absent lists are unchanged
 * @throws DomainError `OVER_LIMIT`
 */
const ensureSize = (request: RecomputationRequest & Partial<Exclusions>, known: ListSizes = {}): void => {
  const unchanged = LISTS.reduce((sum, name) => sum + (request[name] ? 0 : (known[name] ?? 0)), 0);
  if (sizeWithin('recomputationSize', request) + unchanged > STATUS_LIMITS.recomputationSize.value) throw overLimit('recomputationSize');
  const { requester_name, requester_email } = request;
  sizeWithin('requesterSize', { requester_name, requester_email });
};

/**
 * A step of a run. It is recorded only in the state on which the run is based: by one of several nodes, and never after the request or status has
 * changed meanwhile. The limit of changes does not apply, because a status set by a caller is followed by at most two steps.
 */
const step = (
  { tenantId, id }: Identity,
  { from, to, version }: Readonly<{ from: RecomputationStatus; to: RecomputationStatus; version: number }>,
  state: RecomputationState,
): StatusChanged => {
  if (state.status !== from || state.version !== version) throw new DomainError('RECOMPUTATION_NOT_DUE');
  return { type: 'RecomputationStatusChanged', data: { tenantId, id, status: to, change: 'set' } };
};

/**
 * The rules of one recomputation. A new one is rejected with `OVER_LIMIT`, `RECOMPUTATION_INVALID` (details `problems`) and `RECOMPUTATION_ID_USED`;
 * other commands with `RECORD_NOT_FOUND`, also if it belongs to another tenant, then `OVER_LIMIT` or `RECOMPUTATION_STATUS_INELIGIBLE`. Any status
 * may follow any other. Steps of the system are rejected with `RECOMPUTATION_NOT_DUE` unless status and version are those on which the run is based.
 */
export const recomputation: Decider<RecomputationState, RecomputationCommand, RecomputationEvent> = {
  initialState: () => ({ used: false, changes: 0, version: 0, sizes: {} }),
  decide: (command, state) => {
    const { tenantId, id } = command;
    if (command.type === 'RequestRecomputation') {
      ensureSize(command.request);
      const problems = command.takenOver ? [] : problemsOf(command.request);
      if (problems.length > 0) throw new DomainError('RECOMPUTATION_INVALID', { problems });
      if (state.used) throw new DomainError('RECOMPUTATION_ID_USED');
      const { exclude_metrics, exclude_monitoring_source, applied_status_changes } = command.request;
      const exclusions = { exclude_metrics, exclude_monitoring_source, applied_status_changes };
      return [{ type: 'RecomputationRequested', data: { tenantId, id, ...requestOf(command.request), ...exclusions } }];
    }
    if (state.tenantId !== tenantId) throw new DomainError('RECORD_NOT_FOUND');
    switch (command.type) {
      case 'ReviseRecomputation': {
        ensureSize(command.request, state.sizes);
        const lists = givenLists(command.request);
        return [{ type: 'RecomputationRevised', data: { tenantId, id, ...requestOf(command.request), ...lists } }];
      }
      case 'SetRecomputationStatus':
        return [statusChange({ tenantId, id, status: eligible(command.status), change: 'set' }, state)];
      case 'ResetRecomputationStatus':
        return [statusChange({ tenantId, id, status: 'pending', change: 'reset' }, state)];
      case 'DeleteRecomputation':
        return [{ type: 'RecomputationDeleted', data: { tenantId, id } }];
      case 'BeginRecomputation':
        return [step({ tenantId, id }, { from: 'approved', to: 'running', version: command.version }, state)];
      case 'CompleteRecomputation':
        return [step({ tenantId, id }, { from: 'running', to: 'done', version: command.version }, state)];
    }
  },
  evolve: ({ status, changes, version: before, sizes }, { type, data }) => {
    const version = before + 1;
    switch (type) {
      case 'RecomputationDeleted':
        return { used: true, changes: 0, version, sizes: {} };
      case 'RecomputationRequested':
        return { used: true, tenantId: data.tenantId, status: 'pending', changes, version, sizes: sizesOf(data) };
      case 'RecomputationRevised':
        return { used: true, tenantId: data.tenantId, ...(status && { status }), changes, version, sizes: { ...sizes, ...sizesOf(data) } };
      case 'RecomputationStatusChanged':
        return { used: true, tenantId: data.tenantId, status: data.status, changes: changes + 1, version, sizes };
    }
  },
};
