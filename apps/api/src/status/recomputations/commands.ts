import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import type { Created, WriteOutcome } from '#api/status/written.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import {
  type Exclusions,
  type RecomputationAction,
  type RecomputationRequest,
  recomputation,
  streamOfRecomputation,
} from '#domain/status/recomputations/recomputations.js';
import { type RecomputationId, RecomputationQueries } from '#projections/status/recomputations/queries.js';

/** A request as a caller describes it; lists of exclusions may be left out. */
export type SubmittedRequest = RecomputationRequest & Partial<Exclusions>;

/** Ids as Logbook makes them; nothing else names a stream. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every recomputation has a stream of its own. @throws DomainError `RECORD_NOT_FOUND` for an id that cannot exist */
const toRecomputation = (context: CommandContext, { tenantId, id }: RecomputationId, action: RecomputationAction) => {
  if (!ID.test(id)) throw new DomainError('RECORD_NOT_FOUND');
  return { stream: streamOfRecomputation(id), decider: recomputation, context, command: { tenantId, id, ...action } };
};

/**
 * How many recomputations a tenant has is known from the read model, as each has a stream of its own: many requests at once may exceed the limits
 * by as many.
 * @param before bytes of the recomputation that is replaced
 * @throws DomainError `OVER_LIMIT`
 */
const ensureRoom = async (queries: RecomputationQueries, tenantId: string, request: object, before?: number): Promise<void> => {
  const growth = sizeWithin('recomputationSize', request) - (before ?? 0);
  const { count, size } = await queries.totals(tenantId);
  if (before === undefined && count >= STATUS_LIMITS.recordsPerKind.value) throw overLimit('recordsPerKind');
  if (growth > 0 && size + growth > STATUS_LIMITS.recordsSizePerKind.value) throw overLimit('recordsSizePerKind');
};

/** A new request, which begins as pending. */
export class RequestRecomputation extends Command<Created> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly request: SubmittedRequest,
  ) {
    super();
  }
}

@CommandHandler(RequestRecomputation)
class RequestRecomputationHandler implements ICommandHandler<RequestRecomputation> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: RecomputationQueries,
  ) {}

  /**
   * Creates the recomputation under an id of its own. With an `Idempotency-Key` the id follows from the key, so that a repeat meets the stream that
   * knows the key. Once that stream has forgotten the key, the next id is tried.
   */
  async execute({ context, tenantId, request }: RequestRecomputation): Promise<Created> {
    const { exclude_metrics = [], exclude_monitoring_source = [], applied_status_changes = [], ...rest } = request;
    const full = { ...rest, exclude_metrics, exclude_monitoring_source, applied_status_changes };
    await ensureRoom(this.queries, tenantId, full);
    for (let use = 0; ; use++) {
      const id = context.idempotency ? derivedId(`${context.idempotency.key}/${use}`) : randomUUID();
      try {
        const { readable } = await this.gateway.execute(
          toRecomputation(context, { tenantId, id }, { type: 'RequestRecomputation', request: full }),
        );
        return { id, readable };
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'RECOMPUTATION_ID_USED')) throw error;
      }
    }
  }
}

/** Replaces a request; its status and history stay, and so do lists of exclusions that are left out. */
export class ReviseRecomputation extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly recomputation: RecomputationId,
    readonly request: SubmittedRequest,
  ) {
    super();
  }
}

@CommandHandler(ReviseRecomputation)
class ReviseRecomputationHandler implements ICommandHandler<ReviseRecomputation> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: RecomputationQueries,
  ) {}

  async execute({ context, recomputation: one, request }: ReviseRecomputation): Promise<WriteOutcome> {
    const before = await this.queries.sizeOf(one);
    if (before !== undefined) await ensureRoom(this.queries, one.tenantId, request, before);
    return this.gateway.execute(toRecomputation(context, one, { type: 'ReviseRecomputation', request }));
  }
}

/** Moves a recomputation to another status. */
export class ChangeRecomputationStatus extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly recomputation: RecomputationId,
    readonly status: string,
  ) {
    super();
  }
}

@CommandHandler(ChangeRecomputationStatus)
class ChangeRecomputationStatusHandler implements ICommandHandler<ChangeRecomputationStatus> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, recomputation: one, status }: ChangeRecomputationStatus): Promise<WriteOutcome> {
    return this.gateway.execute(toRecomputation(context, one, { type: 'SetRecomputationStatus', status }));
  }
}

/** Moves a recomputation back to pending. */
export class ResetRecomputationStatus extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly recomputation: RecomputationId,
  ) {
    super();
  }
}

@CommandHandler(ResetRecomputationStatus)
class ResetRecomputationStatusHandler implements ICommandHandler<ResetRecomputationStatus> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, recomputation: one }: ResetRecomputationStatus): Promise<WriteOutcome> {
    return this.gateway.execute(toRecomputation(context, one, { type: 'ResetRecomputationStatus' }));
  }
}

/** Deletes a recomputation with its history. */
export class DeleteRecomputation extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly recomputation: RecomputationId,
  ) {
    super();
  }
}

@CommandHandler(DeleteRecomputation)
class DeleteRecomputationHandler implements ICommandHandler<DeleteRecomputation> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, recomputation: one }: DeleteRecomputation): Promise<WriteOutcome> {
    return this.gateway.execute(toRecomputation(context, one, { type: 'DeleteRecomputation' }));
  }
}

export const recomputationHandlers: readonly Type[] = [
  RequestRecomputationHandler,
  ReviseRecomputationHandler,
  ChangeRecomputationStatusHandler,
  ResetRecomputationStatusHandler,
  DeleteRecomputationHandler,
];
