import type { FastifyReply, FastifyRequest } from 'fastify';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { isOutage, statusCodeOf } from './failures.js';
import type { ServiceHttpPolicy } from './service-http-policy.js';

declare module 'fastify' {
  interface FastifyInstance {
    longCalls: LongCalls;
  }
}

/** Pause between two checks of all long calls. */
const EVERY_MS = 5_000;
/** Time for a stream of events to end with the reason, forwarded ones included. Then its connection is closed. */
const REASON_MS = 10_000;

/** A check of a caller. `readModels`: those with what it looks up. `admit` rejects with the error of the service if the caller is refused. */
export type CallerCheck = Readonly<{ readModels: readonly string[]; admit: () => Promise<unknown> }>;

/** `further`: check of the handler, after that of the policy. `ended`: aborted with the error of the service. */
type LongCall = Readonly<{ request: FastifyRequest; further: CallerCheck | undefined; ended: AbortController }>;

/** State of one round. `complete`: read models, by their names. `unknown`: policies whose callers cannot be looked up now. */
type Round = Readonly<{ complete: Map<string, Promise<void>>; unknown: Set<ServiceHttpPolicy> }>;

type Dependencies = Readonly<{ completeness: Pick<Completeness, 'require'>; logger: Pick<Logger, 'info' | 'warn'> }>;

/**
 * The calls that take long: streams, waiting pulls, answers that are sent while they are made. Every few seconds each of them is admitted
 * again, by the key it came with. A call ends if its caller is refused. It goes on if the caller is not known, because stores fail or read
 * models are behind.
 */
export class LongCalls {
  private readonly calls = new Map<FastifyRequest, LongCall>();
  private timer: NodeJS.Timeout | undefined;
  private isChecking = false;

  /** @param everyMs pause between two rounds, and longest wait of a round for one look-up */
  constructor(
    private readonly dependencies: Dependencies,
    private readonly everyMs = EVERY_MS,
  ) {}

  /**
   * Checks a call until it is answered or its connection ends. The signal is aborted once the caller is not admitted any more; its reason is
   * the error of the service.
   * @param further check of the handler, for rights that the route does not decide
   */
  follow(request: FastifyRequest, { raw }: FastifyReply, further?: CallerCheck): AbortSignal {
    const known = this.calls.get(request);
    if (known) return known.ended.signal;
    const ended = new AbortController();
    if (raw.destroyed) return ended.signal;
    raw.setMaxListeners(0); // it may have more listeners than the ten beyond which Node logs a warning
    this.calls.set(request, { request, further, ended });
    for (const event of ['finish', 'close']) raw.once(event, () => this.calls.delete(request));
    this.timer ??= setInterval(() => void this.check(), this.everyMs).unref();
    return ended.signal;
  }

  /** Closes the connection of an answer under way when its call ends. A stream of events first has time to send the reason. */
  cutOff(request: FastifyRequest, reply: FastifyReply): void {
    const isOfEvents = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    const cutOff = (): void => void reply.raw.destroy();
    const end = isOfEvents ? (): void => void setTimeout(cutOff, REASON_MS).unref() : cutOff;
    this.follow(request, reply).addEventListener('abort', end, { once: true });
  }

  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const round: Round = { complete: new Map(), unknown: new Set() };
    const slice = new TimeSlice();
    for (const call of [...this.calls.values()]) {
      if (this.calls.has(call.request)) await this.checkOne(call, round);
      if (slice.isOver) await slice.next();
    }
    this.isChecking = false;
    if (this.calls.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async checkOne(call: LongCall, round: Round): Promise<void> {
    const { policy } = call.request.routeOptions.config;
    if (!policy || round.unknown.has(policy)) return;
    await within(this.everyMs, this.decide(call, policy, round), () => void round.unknown.add(policy));
  }

  /** Never rejects. */
  private async decide(call: LongCall, policy: ServiceHttpPolicy, round: Round): Promise<void> {
    const { request, further, ended } = call;
    try {
      const own = { readModels: policy.callersIn, admit: () => policy.admitAgain(request) };
      const error = (await this.refusal(own, round)) ?? (further && (await this.refusal(further, round).catch(unknownInOutage)));
      if (!error) return;
      this.calls.delete(request);
      this.dependencies.logger.info(
        { requestId: request.id, why: error.message },
        'a call ends because its caller is not admitted any more',
      );
      ended.abort(error);
    } catch (error) {
      if (isOutage(error)) round.unknown.add(policy);
      else if (!(error instanceof PartitionSetAside))
        this.dependencies.logger.warn({ err: error }, 'the caller of a long call cannot be looked up');
    }
  }

  /** A refusal counts if it is repeated once the read models are known to be complete. @throws others: the caller is not known */
  private async refusal(check: CallerCheck, { complete }: Round): Promise<Error | undefined> {
    if (!(await refusalOf(check))) return undefined;
    await getOrInsert(complete, check.readModels.join(), () => this.dependencies.completeness.require(...check.readModels));
    return refusalOf(check);
  }
}

/** Read models of one handler may be down while callers of the service are known. */
const unknownInOutage = (error: unknown): undefined => {
  if (!isOutage(error)) throw error;
};

/** The error of the service with which the caller is refused now. @throws other errors */
const refusalOf = async ({ admit }: CallerCheck): Promise<Error | undefined> => {
  try {
    await admit();
    return undefined;
  } catch (error) {
    const status = statusCodeOf(error) ?? 500;
    if (error instanceof Error && status >= 400 && status < 500) return error;
    throw error;
  }
};
