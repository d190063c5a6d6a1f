import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SpanExporter } from '#infra/edges/telemetry/span-exporter.js';
import { childOf, newTrace, readTraceparent, type TraceContext, writeTraceparent } from '#infra/edges/telemetry/trace-context.js';

/** Position of a request in a trace; stored with the request. */
type Span = Readonly<{ context: TraceContext; parentId?: string }>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Share of the traces begun here that are sampled. Absent if no spans are made. */
    traceRatio?: number;
  }
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/** `undefined` if the caller sent no valid `traceparent` and no spans are made. */
const spanOf = (request: FastifyRequest): Span | undefined => {
  if (request.span) return request.span;
  const { traceRatio } = request.server;
  const header = request.headers.traceparent;
  const caller = header === undefined ? undefined : readTraceparent(header);
  if (traceRatio === undefined) return caller && { context: caller };
  request.span = caller ? { context: childOf(caller), parentId: caller.spanId } : { context: newTrace(traceRatio) };
  return request.span;
};

/** Trace context for events: the span of the request if spans are made, otherwise that of the caller. */
export const traceparentOf = (request: FastifyRequest): string | undefined => {
  const span = spanOf(request);
  return span && writeTraceparent(span.context);
};

/** For log lines. */
export const traceIdOf = (request: FastifyRequest): Readonly<{ traceId?: string }> => {
  const traceId = spanOf(request)?.context.traceId;
  return traceId === undefined ? {} : { traceId };
};

/** Sends a span for each request with a sampled trace. */
export const exportSpans = (fastify: FastifyInstance, exporter: Pick<SpanExporter, 'add'>, ratio: number): void => {
  fastify.traceRatio = ratio;
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spanOf(request);
    if (span?.context.sampled) {
      const end = performance.timeOrigin + performance.now();
      const { method, routeOptions, id } = request;
      const { statusCode } = reply;
      const route = request.is404 ? undefined : routeOptions.url;
      exporter.add({
        ...span,
        name: route === undefined ? method : `${method} ${route}`,
        start: end - reply.elapsedTime,
        end,
        attributes: {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
          'http.response.status_code': statusCode,
          'logbook.request_id': id,
        },
        failed: statusCode >= 500,
      });
    }
    done();
  });
};
