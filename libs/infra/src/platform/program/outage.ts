import { AppendOutcomeUnknown, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** Whether a store could not be reached, or did not answer: trying again later may succeed. */
export const isOutage = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || error instanceof ReadStoreUnavailable || error instanceof AppendOutcomeUnknown;

/**
 * A step fails whenever it is tried, because of its content and not because of an outage. For example a document cannot be sealed or opened
 * because the key of its subject is damaged.
 */
export class StepRefused extends Error {
  override readonly name = 'StepRefused';
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Handler for a rejected step. Outages and NamespaceGone are thrown as they are. @throws StepRefused for every other error */
export const refuseUnlessOutage = (error: unknown): never => {
  throw isOutage(error) || error instanceof NamespaceGone ? error : new StepRefused(error);
};
