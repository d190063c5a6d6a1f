import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import type { Actor, ServiceName } from '#domain/shared/events.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { pathOf } from './service-edge.js';

/** The first value of a header or query parameter that may be repeated; nothing when it is absent. */
export const firstOf = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
};

/** A header as its sender wrote it: Node reads bytes as Latin-1, also those that are UTF-8. */
export const headerText = (value: string): string => {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};

/** The body as it came; the same for every content type. */
export const bodyOf = (request: FastifyRequest): Buffer | undefined => (Buffer.isBuffer(request.body) ? request.body : undefined);

/** The context of a command that a request asks for. A POST may carry an `Idempotency-Key`: it counts per caller and route. */
export const contextOf = (request: FastifyRequest, service: ServiceName, actor: Actor, clock: Clock): CommandContext => {
  const { method, url, headers, id } = request;
  const context = {
    actor,
    service,
    requestId: id,
    correlationId: firstOf(headers['x-correlation-id']) || id,
    causationId: id,
    time: new Date(clock()).toISOString(),
  };
  const key = method === 'POST' ? firstOf(headers['idempotency-key']) : undefined;
  if (!key) return context;
  const path = pathOf(url);
  return {
    ...context,
    idempotency: {
      key: hashCredential(JSON.stringify([service, actor.kind, actor.id, method, path, key])),
      body: hashCredential(`${url.slice(path.length)}\n${bodyOf(request)?.toString('latin1') ?? ''}`),
    },
  };
};
