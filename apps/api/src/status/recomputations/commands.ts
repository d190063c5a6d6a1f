import { randomUUID } from 'node:crypto';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { toTenants } from '#api/status/tenants/commands.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { overLimit, STATUS_LIMITS, sizeOf, sizeWithin } from '#domain/status/limits.js';
import {
  type Exclusions,
  givenLists,
  isEligible,
  type RecomputationCommand,
  type RecomputationRequest,
  recomputation,
  requestOf,
  streamOfRecomputation,
} from '#domain/status/recomputations/recomputations.js';
import { PartitionSetAside, ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { type RecomputationId, RecomputationQueries } from '#projections/status/recomputations/queries.js';

/** A request by a caller. Lists of exclusions may be omitted. */
export type SubmittedRequest = RecomputationRequest & Partial<Exclusions>;

/** Members that the server sets are left out, and so are lists that are `undefined` in a parsed body. */
const givenIn = (request: SubmittedRequest): SubmittedRequest => ({ ...requestOf(request), ...givenLists(request) });

/** Ids in the form that Logbook generates; only these name streams. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every recomputation has a stream of its own. @throws DomainError `RECORD_NOT_FOUND` for an id that cannot exist */
const toRecomputation = (context: CommandContext, command: RecomputationCommand) => {
  if (!ID.test(command.id)) throw new DomainError('RECORD_NOT_FOUND');
  return { stream: streamOfRecomputation(command.id), decider: recomputation, context, command };
};

/**
 * The number of a tenant's recomputations comes from the read model, as each has its own stream. Concurrent requests may therefore exceed
 * the limits by their number.
 * @param growth bytes
 * @throws DomainError `OVER_LIMIT`
 */
const ensureRoom = async (queries: RecomputationQueries, tenantId: string, growth: number, isNew = false): Promise<void> => {
  const { count, size } = await queries.totals(tenantId);
  if (isNew && count >= STATUS_LIMITS.recordsPerKind.value) throw overLimit('recordsPerKind');
  if (growth > 0 && size + growth > STATUS_LIMITS.recordsSizePerKind.value) throw overLimit('recordsSizePerKind');
};

/** Bytes that a change of status adds to the history in an answer, at most. */
const CHANGE_BYTES = 100;

/** A change of status by a caller. The steps of a run need no room, and a status that does not exist is left to the decider. */
const changing = <Type extends 'SetRecomputationStatus' | 'ResetRecomputationStatus'>(type: Type) =>
  commandWith([RecomputationQueries], async (data: DataOf<RecomputationCommand, Type>, { context, gateway }, queries) => {
    const command = { type, ...data } as RecomputationCommand;
    const moving = toRecomputation(context, command);
    const check = async () => {
      if (command.type === 'SetRecomputationStatus' && !isEligible(command.status)) return;
      try {
        if (await queries.recomputation(data)) await ensureRoom(queries, data.tenantId, CHANGE_BYTES);
      } catch (error) {
        if (!(error instanceof ReadModelsUnavailable || error instanceof PartitionSetAside)) throw error; // a line of history does not wait for its read model
      }
    };
    return gateway.executeAfter(moving, check, () => gateway.execute(moving));
  });

/** Moves a recomputation to another status. */
export class SetRecomputationStatus extends changing('SetRecomputationStatus') {}

/** Moves a recomputation back to pending. */
export class ResetRecomputationStatus extends changing('ResetRecomputationStatus') {}

/** Deletes a recomputation with its history. */
export class DeleteRecomputation extends commandTo(toRecomputation, 'DeleteRecomputation') {}

/** `check`: must pass before the request is made, but not before a repeat under its `Idempotency-Key`. Default: none. */
type NewRequest = Readonly<{ tenantId: string; request: SubmittedRequest; check?: () => Promise<void> }>;

/**
 * Creates a pending request with a new id. With an `Idempotency-Key` the id follows from the key, so that a repeat reaches the stream that
 * stores the key. Once that stream has lost the key, the next id is tried.
 */
export class RequestRecomputation extends commandWith(
  [RecomputationQueries],
  async ({ tenantId, request, check }: NewRequest, { context, gateway }, queries) => {
    const full = { exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [], ...givenIn(request) };
    const size = sizeWithin('recomputationSize', full);
    const checkAll = async () => {
      await check?.();
      await ensureRoom(queries, tenantId, size, true);
    };
    const owner = toTenants(context, { type: 'RequireTenant', tenantId });
    for (let use = 0; ; use++) {
      const id = context.idempotency ? derivedId(`${context.idempotency.key}/${use}`) : randomUUID();
      try {
        const requesting = toRecomputation(context, { type: 'RequestRecomputation', tenantId, id, request: full });
        const undo = toRecomputation(context, { type: 'DeleteRecomputation', tenantId, id });
        const { readable } = await gateway.executeAfter(requesting, checkAll, () => gateway.executeFor(requesting, owner, undo), owner);
        return { id, readable };
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'RECOMPUTATION_ID_USED')) throw error;
      }
    }
  },
) {}

/** Replaces a request. Its status, its history and omitted lists of exclusions stay. */
export class ReviseRecomputation extends commandWith(
  [RecomputationQueries],
  async (data: RecomputationId & Readonly<{ request: SubmittedRequest }>, { context, gateway }, queries) => {
    const request = givenIn(data.request);
    const revising = toRecomputation(context, { type: 'ReviseRecomputation', ...data, request });
    const check = async () => {
      const before = await queries.recomputation(data);
      if (before) await ensureRoom(queries, data.tenantId, sizeOf({ ...before, ...request }) - sizeOf(before));
    };
    return gateway.executeAfter(revising, check, () => gateway.execute(revising));
  },
) {}
