import { ServedElsewhere } from '#api/messaging/deliveries/serving-nodes.js';
import { toHttpError } from '#api/messaging/domain-errors.js';
import * as errors from '#api/messaging/errors.js';
import { DomainError } from '#domain/shared/decider.js';
import type { PushTarget } from '#infra/edges/push/worker.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';

/** Passes on errors that the status of a push subscription may show. Other errors than outages and those of the contract are logged. @throws MessagingError */
export const toHttpErrors = async <T>(logger: Pick<Logger, 'warn'>, { subscriptionId }: PushTarget, act: Promise<T>): Promise<T> => {
  try {
    return await act;
  } catch (error) {
    if (error instanceof errors.MessagingError) throw error;
    if (error instanceof PartitionSetAside) throw errors.setAside();
    if (error instanceof ServedElsewhere) throw errors.notReady();
    const rule = error instanceof DomainError ? toHttpError(error) : undefined;
    if (!rule && !isOutage(error)) logger.warn({ err: error, subscriptionId }, 'a push subscription cannot be served');
    throw rule ?? errors.backendError();
  }
};
