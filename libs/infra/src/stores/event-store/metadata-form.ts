import type { EventMetadata, Json, JsonObject } from '#domain/shared/events.js';
import { isJsonObject } from '#domain/shared/marks.js';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
const SERVICES: readonly Json[] = ['messaging', 'accounting', 'status', 'ops'];
const ACTORS: readonly Json[] = ['key', 'user', 'system'];

const NO_KEY: JsonObject = { key: '', body: '' };

const isText = (value: Json | undefined): boolean => typeof value === 'string';

const isInstant = (value: Json | undefined): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Returns whether the JSON has the form of metadata written by Logbook. */
export const isMetadata = (value: Json): value is JsonObject & EventMetadata => {
  if (!isJsonObject(value)) return false;
  const { time, actor, service = '', requestId, correlationId, causationId, schemaVersion, traceparent = '', idempotency = NO_KEY } = value;
  return (
    isInstant(time) &&
    isJsonObject(actor) &&
    ACTORS.includes(actor.kind ?? '') &&
    isText(actor.id) &&
    SERVICES.includes(service) &&
    [requestId, correlationId, causationId, traceparent].every(isText) &&
    Number.isSafeInteger(schemaVersion) &&
    Number(schemaVersion) > 0 &&
    isJsonObject(idempotency) &&
    [idempotency.key, idempotency.body].every(isText)
  );
};
