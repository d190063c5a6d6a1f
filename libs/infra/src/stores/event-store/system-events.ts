import { randomUUID } from 'node:crypto';
import { type Cause, reactionTo } from '#domain/shared/causation.js';
import type { EventMetadata, JsonObject, NewEvent, ServiceName } from '#domain/shared/events.js';

/**
 * Metadata of an action of a system actor.
 * @param id of the actor, such as `traffic-recorder`
 * @param now milliseconds since 1970-01-01 UTC
 * @param cause event or request that led to the action; `null` if there is none: the time, the configuration or the start led to it
 * @param requestId default: a new one
 */
export const systemContext = (
  id: string,
  service: ServiceName,
  now: number,
  cause: Cause | null,
  requestId: string = randomUUID(),
): Omit<EventMetadata, 'schemaVersion'> => ({
  time: new Date(now).toISOString(),
  actor: { kind: 'system', id },
  service,
  requestId,
  ...reactionTo(cause ?? { id: requestId, correlationId: requestId }),
});

/** An event of the installation itself (service `ops`, schema version 1). `cause`: as for {@link systemContext}. */
export const systemEvent = (actorId: string, type: string, data: JsonObject, cause: Cause | null): NewEvent => {
  const context = systemContext(actorId, 'ops', Date.now(), cause);
  return { id: context.requestId, type, data, metadata: { ...context, schemaVersion: 1 } };
};
