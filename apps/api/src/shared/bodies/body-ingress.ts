import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANYBODY, BodyBudget } from './body-budget.js';
import { BODY_LIMITS, bodyLimitsOf } from './body-limits.js';
import { BodyRefused } from './body-refused.js';
import { announcedBytes, IncomingBody, type Watch } from './incoming-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The incoming body; `undefined` if the request has none. */
    incomingBody?: IncomingBody;
  }
}

/**
 * Bytes. If a refused body is longer, the connection is closed instead of read to the end. It is also closed if the client waits for `100
 * Continue`: after a refusal it is unknown whether the body or the next request follows.
 */
const WORTH_A_CONNECTION = 64 * 1024;

/** Media types that Fastify accepts. It answers others with 415 before a parser is called. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** HTTP/1.0 ignores the expectation (RFC 9110 10.1.1). */
const awaitsContinue = ({ headers, raw }: FastifyRequest): boolean => headers.expect !== undefined && raw.httpVersion !== '1.0';

type BodyIngressOptions = Readonly<{
  /** Upper limit of the bytes of a body. */
  mostBytes: number;
  /** Upper limit of the bytes of all current bodies. */
  budgetBytes: number;
  /** Longest pause within a body, and time before its speed is checked. */
  timeoutSeconds: number;
}>;

/**
 * Receives bodies before handlers run: decides which calls may send one, how large, how fast, and how many at a time. Handlers get the raw
 * bytes, whatever the content type and encoding.
 */
export class BodyIngress {
  private readonly watched = new Set<Watch>();

  constructor(
    private readonly options: BodyIngressOptions,
    private readonly budget = new BodyBudget(options.budgetBytes),
  ) {}

  /** For another application of this process: the same limits, and the same budget for all bodies. */
  sharing(): BodyIngress {
    return new BodyIngress(this.options, this.budget);
  }

  get bytesInUse(): number {
    return this.budget.inUse;
  }

  /** To be called between the registrations of services and routes: limits depend on the decorators and the service of a route. */
  register(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      const { body, policy } = route.config ?? {};
      route.config = { ...route.config, bodyLimits: bodyLimitsOf(route.method, body, this.options.mostBytes, policy?.usualBody) };
      const { handler } = route;
      route.handler = function (request, reply) {
        const result: unknown = handler.call(this, request, reply);
        const isOver = (): Promise<void> | undefined => request.lookingAgain;
        request.incomingBody?.heldUntil(Promise.resolve(result).then(isOver, isOver));
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
    // A client that waits for `100 Continue` sends nothing before its call is admitted. Other expectations are ignored.
    for (const event of ['checkContinue', 'checkExpectation'])
      fastify.server.on(event, (request, response) => void fastify.server.emit('request', request, response));

    const everySecond = setInterval(() => this.tick(), 1_000).unref();
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(everySecond);
      done();
    });
  }

  /** Called for every request before it is answered. From here on limits apply to its body. Idempotent. */
  guard(request: FastifyRequest, reply: FastifyReply): void {
    const announced = announcedBytes(request.raw);
    if (announced === 0 || request.incomingBody) return;
    const body = new IncomingBody(request.raw, reply.raw, this.options.timeoutSeconds);
    request.incomingBody = body;
    this.watched.add(body.watch);
    body.guard();
    if (announced === undefined || announced > WORTH_A_CONNECTION || awaitsContinue(request)) body.endConnection();
  }

  /** Admits the body of an authorized call before any of it is read, or returns the reason. `caller`: whose share of the budget it uses. */
  admit(request: FastifyRequest, reply: FastifyReply, caller: string): BodyRefused | undefined {
    const body = request.incomingBody;
    if (!body) return undefined;
    const announced = announcedBytes(request.raw) ?? 0;
    const { bytes } = request.routeOptions.config.bodyLimits ?? BODY_LIMITS.none;
    if (announced > bytes) return new BodyRefused('bytes');
    // A caller without a credential could announce much and send nothing.
    const isTrusted = caller !== ANYBODY;
    const reservation = this.budget.reserve(caller, isTrusted ? announced : 0);
    if (!reservation) return new BodyRefused('busy');
    body.admitted(reservation, isTrusted);
    if (awaitsContinue(request)) reply.raw.writeContinue();
    return undefined;
  }

  private receive(request: FastifyRequest, done: (error: Error | null, body?: Buffer) => void): void {
    const body = request.incomingBody;
    if (!body) {
      done(null, Buffer.alloc(0));
      return;
    }
    body.read(request.routeOptions.config.bodyLimits ?? BODY_LIMITS.none, (error) => {
      if (request.raw.complete) this.unwatch(body.watch);
      if (error) {
        body.release();
        done(error);
      } else done(null, body.received?.bytes);
    });
  }

  private tick(): void {
    for (const watch of this.watched) if (watch.body?.tick()) this.unwatch(watch);
  }

  private unwatch(watch: Watch): void {
    this.watched.delete(watch);
    watch.body = undefined;
  }
}
