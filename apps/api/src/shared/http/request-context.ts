import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ReceivedBody } from '#api/shared/bodies/body-shape.js';
import { reactionTo } from '#domain/shared/causation.js';
import type { Actor, EventMetadata, ServiceName } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { pathOf } from './service-http-policy.js';
import { traceparentOf } from './tracing.js';

/** The first value of a header or query parameter that may be repeated; `undefined` if it is absent. */
export const firstOf = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
};

/** The token of `Authorization: Bearer <token>`, with the word in any letter case; `undefined` for another scheme. */
export const bearerTokenOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization)?.[1];

/** A header in the sender's spelling: Node reads all bytes as Latin-1, even UTF-8. */
export const headerText = (value: string): string => {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};

/** The raw body, for every content type. */
export const bodyOf = (request: FastifyRequest): Buffer | undefined => (Buffer.isBuffer(request.body) ? request.body : undefined);

/** The raw body with the results of its scan, for bodies that may be large. */
export const receivedBodyOf = ({ incomingBody }: FastifyRequest): ReceivedBody | undefined => incomingBody?.received;

/** Bytes hashed between two checks of the time. */
const HASHED = 256 * 1024;

const hashes = new WeakMap<FastifyRequest, string>();

/** A query without `key`, the credential of callers of messaging: a repeat may come with another one. */
const withoutCredential = (query: string): string =>
  query.replace(/&key=[^&]*/g, '').replace(/^\?key=[^&]*(&?)/, (_key, more: string) => more && '?');

/** First line of the hashed request, with its query. An `Idempotency-Key` cannot be reused for another hash. */
const firstLineOf = ({ url }: FastifyRequest): string => `${withoutCredential(url.slice(pathOf(url).length))}\n`;

/**
 * Prepares the context of a command with a large body: hashes it in slices, because {@link contextOf} would hash it in one go. Does nothing
 * for requests without an `Idempotency-Key`.
 */
export const hashInSlices = async (request: FastifyRequest): Promise<void> => {
  const body = bodyOf(request);
  if (!body || !firstOf(request.headers['idempotency-key'])) return;
  const slice = new TimeSlice();
  const hash = createHash('sha256').update(firstLineOf(request));
  for (let at = 0; at < body.length; at += HASHED) {
    hash.update(body.toString('latin1', at, at + HASHED));
    if (slice.isOver) await slice.next();
  }
  hashes.set(request, hash.digest('hex'));
};

/** Characters that are safe in headers, log lines and addresses: visible ASCII and single blanks. */
const CORRELATION_ID = /^[!-~]+( [!-~]+)*$/;
const LONGEST_CORRELATION_ID = 128;

/** The conversation of a request: `X-Correlation-Id`, or the id of the request if the header is absent, too long or has other characters. */
export const correlationIdOf = ({ headers, id }: Readonly<{ id: string; headers: IncomingHttpHeaders }>): string => {
  const given = firstOf(headers['x-correlation-id']) ?? '';
  return given.length <= LONGEST_CORRELATION_ID && CORRELATION_ID.test(given) ? given : id;
};

/** Ids in the metadata of the events of a request, which is their cause. */
export const conversationOf = (request: FastifyRequest): Pick<EventMetadata, 'requestId' | 'correlationId' | 'causationId'> => ({
  requestId: request.id,
  ...reactionTo({ id: request.id, correlationId: correlationIdOf(request) }),
});

/**
 * The context for commands of a request. A POST may have an `Idempotency-Key`, which is valid per caller, route and, for callers that can
 * act in several scopes, `scope`. The input is hashed because it may contain credentials.
 */
export const contextOf = (request: FastifyRequest, service: ServiceName, actor: Actor, scope?: string): CommandContext => {
  const { clock, credentialHashes } = request.server;
  const { method, url, headers, written } = request;
  const traceparent = traceparentOf(request);
  const context = {
    actor,
    service,
    ...conversationOf(request),
    time: new Date(clock()).toISOString(),
    ...(traceparent !== undefined && { traceparent }),
    ...(written && { onExecuted: written.note }),
  };
  const key = method === 'POST' ? firstOf(headers['idempotency-key']) : undefined;
  if (!key) return context;
  const path = pathOf(url);
  return {
    ...context,
    idempotency: {
      key: credentialHashes.of(JSON.stringify([service, actor.kind, actor.id, method, path, key, ...(scope === undefined ? [] : [scope])])),
      body: credentialHashes.keyed(
        hashes.get(request) ?? hash('sha256', firstLineOf(request) + (bodyOf(request)?.toString('latin1') ?? ''), 'hex'),
      ),
    },
  };
};
