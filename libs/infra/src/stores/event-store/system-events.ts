import { randomUUID } from 'node:crypto';
import type { EventMetadata, JsonObject, NewEvent, ServiceName } from '#domain/shared/events.js';

/**
 * Metadata of an action that a system actor takes without a request: one id is used as request, correlation and causation id.
 * @param id of the actor, such as `traffic-recorder`
 * @param now milliseconds since 1970-01-01 UTC
 * @param requestId default: a new one
 */
export const systemContext = (
  id: string,
  service: ServiceName,
  now: number,
  requestId: string = randomUUID(),
): Omit<EventMetadata, 'schemaVersion'> => ({
  time: new Date(now).toISOString(),
  actor: { kind: 'system', id },
  service,
  requestId,
  correlationId: requestId,
  causationId: requestId,
});

/** An event of the installation itself (service `ops`, schema version 1), which belongs to no request. */
export const systemEvent = (actorId: string, type: string, data: JsonObject): NewEvent => {
  const context = systemContext(actorId, 'ops', Date.now());
  return { id: context.requestId, type, data, metadata: { ...context, schemaVersion: 1 } };
};
