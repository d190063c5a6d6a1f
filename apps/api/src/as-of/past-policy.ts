import type { FastifyReply, FastifyRequest } from 'fastify';
import { AS_OF, type AsOf, asOfIn } from '#api/shared/as-of/as-of-header.js';
import { AsOfRefused, malformedAsOf, noRead } from '#api/shared/as-of/as-of-refused.js';
import { currentCall, type PastCall, type PointInTime, within } from '#api/shared/as-of/past-call.js';
import { addVary } from '#api/shared/http/headers/vary.js';
import { isRead } from '#api/shared/http/readings.js';
import { firstOf } from '#api/shared/http/request-context.js';
import type { ServiceHttpPolicy } from '#api/shared/http/service-http-policy.js';
import { ACCOUNTS } from '#projections/messaging/accounts/queries.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only in the application of the past. */
    pastCall?: PastCall;
  }
}

/** Dependencies of the edge of the past. */
type PastEdge = Readonly<{
  /** Point in time of a header. @throws AsOfRefused */
  pointOf(header: AsOf): Promise<PointInTime>;
  /** Point for all calls without the header. Default: none; every call has the header. */
  usual: PointInTime | undefined;
  /** The present state and time. */
  live: PointInTime;
  /** Detects an auditor. @throws AsOfRefused for a key of the operations service with another role */
  recognize(request: FastifyRequest, call: PastCall): Promise<void>;
  /** Records the read of an auditor. Called before the answer. */
  record(request: FastifyRequest, call: PastCall): Promise<void>;
}>;

/**
 * The edge of a service as of the past: that of the present, over the documents of the moment. Errors in the header are answered only after
 * 401 and 403, so that callers without permission get no more information.
 */
export class PastPolicy implements ServiceHttpPolicy {
  readonly prefix;
  readonly otherPrefixes;
  readonly cors;
  readonly usualBody;
  readonly slashesInSegments;
  readonly callersIn;

  constructor(
    private readonly service: ServiceHttpPolicy,
    private readonly edge: PastEdge,
  ) {
    const { prefix, otherPrefixes, cors, usualBody, slashesInSegments, callersIn } = service;
    this.prefix = prefix;
    this.otherPrefixes = otherPrefixes;
    this.cors = cors;
    this.usualBody = usualBody;
    this.slashesInSegments = slashesInSegments;
    this.callersIn = callersIn;
  }

  cleanedPath(path: string): string | undefined {
    return this.service.cleanedPath?.(path);
  }

  unknownPath(request: FastifyRequest, reply: FastifyReply): void {
    this.service.unknownPath(request, reply);
  }

  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
    this.service.wrongMethod(request, reply, allow);
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    this.service.failed(error, request, reply);
  }

  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void {
    const call = currentCall();
    request.pastCall = call;
    addVary(reply, 'Logbook-As-Of');
    if (this.edge.usual && !isRead(request)) {
      this.service.wrongMethod(request, reply, 'GET');
      return;
    }
    const fail = (error: unknown): void => this.failed(error, request, reply);
    this.prepare(request, call).then(
      () => within(call, () => this.service.authorize(request, reply, (caller) => this.enter(request, reply, call, () => proceed(caller)))),
      fail,
    );
  }

  async admitAgain(request: FastifyRequest): Promise<void> {
    const { pastCall: call } = request;
    if (!call || call.given) return; // reads of this process have no caller
    await within(call, async () => {
      await this.edge.recognize(request, call);
      await this.service.admitAgain(request);
    });
  }

  private async prepare(request: FastifyRequest, call: PastCall): Promise<void> {
    call.moveTo(this.edge.live);
    try {
      const point = await this.pointOf(request, call);
      if (this.isEarly) await point.views(ACCOUNTS);
      call.moveTo(point);
    } catch (error) {
      if (!(error instanceof AsOfRefused)) throw error;
      call.refusal = error;
    }
    if (call.given !== undefined || !isRead(request)) return; // for other requests the service does not know keys of operations
    await this.edge.recognize(request, call);
    // The edge of messaging itself answers for a missing project, which may be the answer to a read of the past.
    if (this.isEarly && call.auditor && !call.refusal) await this.edge.record(request, call);
  }

  /** True for messaging, whose edge looks up the project of the path as of the past before it knows the caller. */
  private get isEarly(): boolean {
    return this.prefix === '/v1';
  }

  private async pointOf(request: FastifyRequest, call: PastCall): Promise<PointInTime> {
    const given = call.given ?? (request.headers[AS_OF] === undefined ? this.edge.usual : undefined);
    if (given) return given;
    if (!isRead(request)) throw noRead();
    const asOf = asOfIn(firstOnly(request.headers[AS_OF]));
    if (!asOf) throw malformedAsOf();
    return this.edge.pointOf(asOf);
  }

  /** Continues after the service has admitted the caller. */
  private enter(request: FastifyRequest, reply: FastifyReply, call: PastCall, proceed: () => void): void {
    const { refusal } = call;
    if (refusal && !(isLenient(this.service, refusal) && isRead(request))) {
      this.failed(refusal, request, reply);
      return;
    }
    if (refusal) {
      proceed(); // handlers of this service check permissions: see registerPastAnswers
      return;
    }
    if (!call.auditor || call.given || this.isEarly) proceed();
    else this.edge.record(request, call).then(proceed, (error: unknown) => this.failed(error, request, reply));
  }
}

/** Returns whether handlers of the service check permissions, so that their 403 takes precedence over a 400 for the header. */
const isLenient = ({ prefix }: ServiceHttpPolicy, { obstacle }: AsOfRefused): boolean =>
  prefix === '/accounting-system' && obstacle === 'malformed';

const firstOnly = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? undefined : firstOf(header));
