import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccountingModule } from '#api/accounting/accounting.module.js';
import { AccountingHttpPolicy } from '#api/accounting/http-policy.js';
import { MessagingHttpPolicy } from '#api/messaging/http-policy.js';
import { MessagingModule } from '#api/messaging/messaging.module.js';
import { ConsoleSessions } from '#api/ops-kit/console-sessions.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { runtimeModule } from '#api/runtime/runtime.module.js';
import { createServices } from '#api/runtime/services.js';
import type { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { AS_OF, type AsOf } from '#api/shared/as-of/as-of-header.js';
import { historyLost, noHistory, notReached, notShown } from '#api/shared/as-of/as-of-refused.js';
import { type Auditor, beginCall, currentCall, PastCall, type PointInTime, within } from '#api/shared/as-of/past-call.js';
import { left, patienceEnds, type TimeOfCall, TimesOfCalls } from '#api/shared/as-of/time-of-call.js';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import type { ServiceHttpPolicy } from '#api/shared/http/service-http-policy.js';
import type { HandOver } from '#api/shared/http/service-routing.js';
import { StatusHttpPolicy } from '#api/status/http-policy.js';
import { StatusModule } from '#api/status/status.module.js';
import type { LogMoment } from '#domain/operations/moments.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { Auditors } from './auditors.js';
import { registerPastAnswers } from './past-answers.js';
import { PastEventStore } from './past-event-store.js';
import { PastPolicy } from './past-policy.js';
import { EMPTY_VIEW, pastReadStore } from './past-read-store.js';

/** No route of the past executes commands; if one did, it would fail. */
const noCommands: Pick<StreamProcessor, 'execute' | 'close'> = {
  execute: async () => {
    throw new EventStoreUnavailable('nothing can be written as of the past');
  },
  close: async () => {},
};

/** The runtime of a call: its documents, its log and its clock. Everything else is the present one. */
const pastRuntime = (live: Runtime): Runtime => ({
  ...live,
  readStore: pastReadStore,
  eventStore: new PastEventStore(live.eventStore),
  clock: () => {
    const { point, refusal } = currentCall();
    return refusal || !point ? live.clock() : point.clock;
  },
  processor: noCommands as StreamProcessor,
});

@Module({})
class PastServicesModule {}

/** The three services. Operations are left out, because they are about the present. */
const pastServices = (past: Runtime, live: Runtime, ownUrl: () => string): DynamicModule => ({
  module: PastServicesModule,
  imports: [runtimeModule(past, ownUrl, live), MessagingModule, AccountingModule, StatusModule],
});

/** A read from within this process, with the rights of an administrator of the service. It is not recorded. */
type PastRead = Readonly<{
  moment: LogMoment;
  /** Path and query of a GET. */
  url: string;
  /** Id of the tenant, for routes of tenants. */
  tenant?: string;
  /** With marks in place of secrets and personal data. Default: as in the services. */
  shown?: MarkVisibility;
}>;

/** A server that shows only the past also refuses writes of operators and auditors. */
const refusesWrite = (request: FastifyRequest, reply: FastifyReply, policy: ServiceHttpPolicy): boolean => {
  if (request.is404 || ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return false;
  policy.wrongMethod(request, reply, 'GET');
  return true;
};

type PastAnswer = Readonly<{ status: number; body: Buffer }>;

type Built = Readonly<{ app: NestFastifyApplication; fastify: FastifyInstance }>;

/**
 * The three services as of the past: the same controllers over the documents of a moment, in a separate application, which is built for the
 * first such read. Requests without the header do not use it.
 */
export class PastApplication {
  private building: Promise<Built> | undefined;
  private readonly auditors: Auditors;
  private readonly live: PointInTime;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: Readonly<{ bodies: BodyIngress; answers: AnswerRoom; ownUrl: () => string }>,
  ) {
    const { readStore, credentialHashes, reads, clock, configuration } = runtime;
    const sessions = configuration.console ? new ConsoleSessions(readStore, clock) : null;
    this.auditors = new Auditors(readStore, credentialHashes, reads, clock, sessions);
    this.live = { moment: null, clock: 0, views: async (projection) => readStore.view(projection) };
  }

  /** Takes over a request with the header, or every request if this server shows only the past. */
  readonly handOver: HandOver = (request, reply, policy, fail) => {
    if (policy.prefix === '') return this.runtime.asOf !== undefined && refusesWrite(request, reply, policy);
    if (request.headers[AS_OF] === undefined && !this.runtime.asOf) return false;
    void this.serve(request, reply, fail);
    return true;
  };

  /** Answers 410 or 503 if the history lacks documents for the read. @throws AsOfRefused this node has no history, or lacks the moment */
  async read({ moment, url, tenant, shown }: PastRead): Promise<PastAnswer> {
    const call = new PastCall('', await this.pointOf({ kind: 'position', position: moment.position }, shown));
    call.auditor = { keyId: 'audit', name: 'audit' };
    const { fastify } = await this.built();
    const end = beginCall();
    try {
      const headers = { accept: 'application/json', ...(tenant !== undefined && { 'logbook-tenant': tenant }) };
      const { statusCode, rawPayload } = await within(call, () =>
        // An injected request begins when it is awaited, so that has to happen inside of the call.
        fastify.inject({ method: 'GET', url, headers }).then((answer) => answer),
      );
      return { status: statusCode, body: rawPayload };
    } finally {
      end();
    }
  }

  /**
   * Runs a read of this process over the documents of a moment, which `read` gets as a read store.
   * @param asOf default: the moment that this server shows; a server of the present has none
   * @throws AsOfRefused
   */
  async over<Result>(asOf: AsOf | undefined, read: (store: ReadStore, point: PointInTime) => Promise<Result>): Promise<Result | 'of now'> {
    const point = asOf ? await this.pointOf(asOf) : this.usual();
    if (!point) return 'of now';
    const call = new PastCall('', point);
    call.moveTo(point);
    const end = beginCall();
    try {
      return await within(call, () => read(pastReadStore, point));
    } finally {
      end();
    }
  }

  /** Resolves once this read of an auditor as of a moment is recorded in the log. */
  recordRead(request: FastifyRequest, auditor: Auditor, point: PointInTime): Promise<void> {
    const call = new PastCall(request.id, point);
    call.auditor = auditor;
    call.point = point;
    return this.runtime.asOf ? Promise.resolve() : this.auditors.record(request, call);
  }

  async close(): Promise<void> {
    this.auditors.close();
    const built = await this.building?.catch(() => undefined);
    await built?.app.close();
  }

  private async serve(request: FastifyRequest, reply: FastifyReply, fail: (error: unknown) => void): Promise<void> {
    reply.raw.once('close', beginCall());
    let fastify: FastifyInstance;
    try {
      ({ fastify } = await this.built());
    } catch (error) {
      this.runtime.logger.error({ err: error, requestId: request.id }, 'the services cannot be shown as of the past');
      fail(notShown());
      return;
    }
    reply.hijack();
    within(new PastCall(request.id), () => fastify.routing(request.raw, reply.raw));
  }

  private built(): Promise<Built> {
    this.building ??= this.build().catch((error: unknown) => {
      this.building = undefined; // a later read tries again
      throw error;
    });
    return this.building;
  }

  private async build(): Promise<Built> {
    const { runtime, parts } = this;
    const past = pastRuntime(runtime);
    const { app, fastify } = await createServices(past, {
      module: pastServices(past, runtime, parts.ownUrl),
      bodies: parts.bodies.sharing(),
      answers: parts.answers,
      ownUrl: parts.ownUrl,
      requestId: () => currentCall().requestId,
      policies: (created) => {
        const services = [created.get(StatusHttpPolicy), created.get(MessagingHttpPolicy), created.get(AccountingHttpPolicy)];
        const policies = services.map((service) => new PastPolicy(service, this.edge()));
        const [fallback] = policies;
        if (!fallback) throw new Error('there are no services');
        return { services: policies, fallback };
      },
    });
    fastify.addHook('preHandler', ({ pastCall }, _reply, done) => {
      if (pastCall)
        within(pastCall, done); // bodies arrive in the context of their connection
      else done();
    });
    registerPastAnswers(fastify);
    try {
      await app.init();
      await fastify.ready();
    } catch (error) {
      await app.close().catch(() => undefined); // a later read builds another one
      throw error;
    }
    return { app, fastify };
  }

  private edge() {
    const { auditors, live } = this;
    return {
      live,
      usual: this.usual(),
      pointOf: (asOf: AsOf) => this.pointOf(asOf),
      recognize: (request: FastifyRequest, call: PastCall) => auditors.recognize(request, call),
      record: (request: FastifyRequest, call: PastCall) => (this.runtime.asOf ? Promise.resolve() : auditors.record(request, call)),
    };
  }

  /** Point in time for callers without the header. */
  private usual(): PointInTime | undefined {
    const { asOf } = this.runtime;
    return asOf && this.pointAt(asOf);
  }

  /** @throws AsOfRefused */
  private async pointOf(asOf: AsOf, shown?: MarkVisibility): Promise<PointInTime> {
    const { past, eventStore, clock, asOf: latest } = this.runtime;
    if (!past) throw noHistory();
    const deadline = patienceEnds();
    return this.pointAt(await new TimesOfCalls(past.timeline, eventStore, clock, latest).find(asOf, deadline), { shown, deadline });
  }

  /** @param deadline end of the wait for documents that the history has not reached. Default: no wait */
  private pointAt(
    { moment, clock }: TimeOfCall,
    { shown, deadline = 0 }: Readonly<{ shown?: MarkVisibility | undefined; deadline?: number }> = {},
  ): PointInTime {
    const history = this.runtime.past?.history;
    if (!moment || !history) return { moment, clock, views: async () => EMPTY_VIEW };
    const views = async (projection: string): Promise<ReadView> => {
      const reach = await history.reach(moment.position, left(deadline), projection);
      if (reach === 'behind') throw notReached();
      if (reach === 'lost') throw historyLost();
      return history.view(projection, moment.position, shown);
    };
    return { moment, clock, views };
  }
}
