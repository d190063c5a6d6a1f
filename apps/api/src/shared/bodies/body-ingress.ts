import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BodyBudget } from './body-budget.js';
import { BODY_LIMITS, bodyLimitsOf } from './body-limits.js';
import { BodyRefused } from './body-refused.js';
import { announcedBytes, IncomingBody } from './incoming-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body on its way; nothing where the request announces none. */
    incomingBody?: IncomingBody;
  }
}

/** More of a body that nobody reads is not worth its connection. Bytes. */
const WORTH_A_CONNECTION = 64 * 1024;

/** The connection ends with this answer, unless the call is admitted after all. */
const closeAfter = (reply: FastifyReply): void => {
  if (!reply.raw.hasHeader('connection')) reply.header('connection', 'close');
};

/** Takes back `closeAfter`, and only that: a server that is shutting down has written its own `Connection: close` on the raw answer. */
const keepOpen = (reply: FastifyReply): void => {
  if (!reply.raw.hasHeader('connection')) reply.removeHeader('connection');
};

/** What Fastify takes for a media type; it answers 415 to any other before a parser sees it. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

export type BodyIngressOptions = Readonly<{
  /** Upper bound of the bytes of every body. */
  mostBytes: number;
  /** Bytes of all bodies that are under way. */
  budgetBytes: number;
  /** How long a body may pause, and how long it may take at any speed. */
  timeoutSeconds: number;
}>;

/**
 * All that happens to bodies before handlers have them: who may send one, how large, how fast, and how many at a time. Bodies reach handlers as
 * they came, whatever their content type and encoding say; handlers know what they want.
 */
export class BodyIngress {
  private readonly budget: BodyBudget;
  private readonly watched = new Set<IncomingBody>();

  constructor(private readonly options: BodyIngressOptions) {
    this.budget = new BodyBudget(options.budgetBytes);
  }

  /** What the bodies under way count in the budget, in bytes. */
  get bytesInUse(): number {
    return this.budget.inUse;
  }

  /** Must be called after the services are registered and before the routes are: limits of bodies follow from the decorators and the service of a route. */
  register(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      const { body, policy } = route.config ?? {};
      route.config = { ...route.config, bodyLimits: bodyLimitsOf(route.method, body, this.options.mostBytes, policy?.usualBody) };
      const { handler } = route;
      route.handler = function (request, reply) {
        const result: unknown = handler.call(this, request, reply);
        const body = request.incomingBody;
        if (body) Promise.resolve(result).then(body.release, body.release);
        return result;
      };
    });
    fastify.addHook('onRequest', (request, _reply, done) => {
      const type = request.headers['content-type'];
      if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers['content-type'] = 'application/octet-stream';
      done();
    });
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (request, _payload, done) => this.receive(request, done));
    // A client that waits for `100 Continue` sends nothing before its call is admitted.
    fastify.server.on('checkContinue', (request, response) => void fastify.server.emit('request', request, response));

    const everySecond = setInterval(() => this.tick(), 1_000).unref();
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(everySecond);
      done();
    });
  }

  /** For every request before it is answered: what becomes of its body is bounded from here on. More than once is the same as once. */
  guard(request: FastifyRequest, reply: FastifyReply): void {
    const announced = announcedBytes(request.raw);
    if (announced === 0 || request.incomingBody) return;
    const body = new IncomingBody(request.raw, reply.raw, this.options.timeoutSeconds);
    request.incomingBody = body;
    this.watched.add(body);
    body.guard();
    if (announced === undefined || announced > WORTH_A_CONNECTION) closeAfter(reply);
  }

  /** Takes the body of an admitted call, of which nothing has been read yet, or says why not. `caller`: whose share of the budget it counts in. */
  admit(request: FastifyRequest, reply: FastifyReply, caller: string): BodyRefused | undefined {
    const body = request.incomingBody;
    if (!body) return undefined;
    const announced = announcedBytes(request.raw) ?? 0;
    const { bytes } = request.routeOptions.config.bodyLimits ?? BODY_LIMITS.none;
    if (announced > bytes) return new BodyRefused('bytes');
    const reservation = this.budget.reserve(caller, announced);
    if (!reservation) return new BodyRefused('busy');
    body.admitted(reservation);
    keepOpen(reply);
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    return undefined;
  }

  private receive(request: FastifyRequest, done: (error: Error | null, body?: Buffer) => void): void {
    const body = request.incomingBody;
    if (!body) {
      done(null, Buffer.alloc(0));
      return;
    }
    body.read(request.routeOptions.config.bodyLimits ?? BODY_LIMITS.none, (error) => {
      if (request.raw.complete) this.watched.delete(body);
      if (error) {
        body.release();
        done(error);
      } else done(null, body.received?.bytes);
    });
  }

  private tick(): void {
    for (const body of this.watched) if (body.tick()) this.watched.delete(body);
  }
}
