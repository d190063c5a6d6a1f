import { AppendOutcomeUnknown, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { ConcurrencyExhausted, Overloaded, ProcessorClosed } from '#infra/engine/stream-processor/execution.js';
import { ReadModelsUnavailable, ReadStoreUnavailable } from '#projections/shared/read-store.js';

const OUTAGES = [AppendOutcomeUnknown, EventStoreUnavailable, ReadStoreUnavailable, ConcurrencyExhausted, Overloaded, ProcessorClosed];

/** Text of all services for data of a partition that is set aside (docs/decisions/0018). */
export const SET_ASIDE = 'What was asked for is paused after an internal error, until an operator resumes it. Nothing is lost.';

/** Returns whether the stores were unavailable or the server was closing. The call may be repeated, ideally with an Idempotency-Key. */
export const isOutage = (error: unknown): boolean => OUTAGES.some((outage) => error instanceof outage);

/** Continuation of the text of an outage, if its reason is a read model that is not there yet. */
export const absenceIn = (error: unknown): string =>
  error instanceof ReadModelsUnavailable && error.projection !== undefined ? `: the read model ${error.projection} is not there yet` : '';

/** The HTTP status that Fastify or Nest attached to an error. */
export const statusCodeOf = (error: unknown): number | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('getStatus' in error && typeof error.getStatus === 'function') return error.getStatus();
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
};
