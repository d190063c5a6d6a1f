import { Inject, Injectable } from '@nestjs/common';
import type { HEALTH } from '#api/messaging/openapi/components.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CONFIGURATION, LIVE_CLOCK, LIVE_READ_STORE } from '#api/shared/tokens.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import type { PushStateName } from '#domain/messaging/push/push-state.js';
import type { RequestedPush } from '#domain/messaging/resources/subscriptions.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Static } from '#domain/shared/shape.js';
import { PUSH_LEASE } from '#infra/edges/push/push-engine.js';
import { verifyEndpoint } from '#infra/edges/push/verify-endpoint.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { DEFAULT_LEASE_TIMING, isWorking, type WorkCondition, workCondition } from '#infra/platform/coordination/work-lease.js';
import { HttpSender } from '#infra/platform/outgoing/http-sender.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import * as errors from './errors.js';
import { subscriptionName } from './references.js';

/** A node that pushes reports again within this time after the read store has lost its data. */
const FOUND_AGAIN_MS = 10_000;

/** Status of a push server that cannot be reached (messaging contract 3.9, 4.9). */
const UNREACHABLE = 'Push server is currently unavailable';

/**
 * Reason of the last failure. `at`: its time, `YYYY-MM-DDTHH:MM:SSZ`. `since`: every attempt since then has failed, as far as the pushing node
 * knows; `null` after a success.
 */
type PushError = Readonly<{ at: string | null; message: string; since: string | null }>;

/** `error`: reason of the last failure; `null` after a success. `lastError`: the same, also after a success. */
export type PushState = Readonly<{
  state: PushStateName;
  error: PushError | null;
  lastError: PushError | null;
}>;

const errorIn = (problem: string, since: string | null): PushError => {
  const [, at, message] = /^(\S+) - (.*)$/s.exec(problem) ?? [];
  return { at: at === undefined ? null : `${at}Z`, message: message ?? problem, since };
};

/**
 * Availability of push, and the state of pushing (messaging contract 4.9). Push is on if this node has the role `push`, or another node
 * with it was seen. It is unavailable once that other node has gone.
 */
@Injectable()
export class PushAvailability {
  /** Sends verifications and pushed messages. */
  readonly sender: HttpSender;
  /** Name of this node for others, `<host>:<port>`; empty until it listens. */
  ownNode = '';
  /** Last sighting of a node that pushes, on the monotonic clock. If the read store knows none soon after, it has lost its data. */
  private seenAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(LIVE_READ_STORE) private readonly store: ReadStore,
    @Inject(LIVE_CLOCK) private readonly clock: Clock,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'pushAllowPrivate' | 'roles'>,
  ) {
    this.sender = new HttpSender(configuration.pushAllowPrivate ? 'anywhere' : 'public');
  }

  /** Push settings for a command, `null` for a subscription that is pulled. @throws MessagingError C07, I07 */
  async requested(request: PushRequest | null): Promise<RequestedPush | null> {
    if (!request) return null;
    await this.requireAvailable();
    return {
      request,
      secrets: { verificationHash: newKey(), authorizationValue: newKey() },
      rules: { plainHttp: this.configuration.pushAllowPrivate },
    };
  }

  /** A refusal may take seconds: it must not depend on differing clocks of nodes. @throws MessagingError C07, I07; ReadModelsUnavailable */
  async requireAvailable(): Promise<void> {
    if (this.pushes) return;
    const { node, alive } = await this.condition();
    if (node === null) throw errors.pushDisabled();
    if (!alive && !(await isWorking(this.store, PUSH_LEASE, DEFAULT_LEASE_TIMING))) throw errors.pushUnavailable();
  }

  /** Member `pushStatus` of a subscription; `undefined` unless it is pushed. */
  async statusOf(
    project: ProjectReference,
    { subscriptionId, name, push }: Pick<SubscriptionDocument, 'subscriptionId' | 'name' | 'push'>,
  ): Promise<string | undefined> {
    if (!push?.verified) return undefined;
    const { alive, problem } = await this.condition(subscriptionId);
    if (!alive) return UNREACHABLE;
    return problem ?? `Subscription ${subscriptionName(project, name)} is currently active`;
  }

  /** State of pushing to a subscription; `null` if it is pulled. */
  async stateOf({ subscriptionId, push }: Pick<SubscriptionDocument, 'subscriptionId' | 'push'>): Promise<PushState | null> {
    if (!push) return null;
    if (!push.verified) return { state: 'not verified', error: null, lastError: null };
    const { alive, problem, lastProblem, since } = await this.condition(subscriptionId);
    return {
      state: !alive ? 'unavailable' : problem === null ? 'active' : 'failing',
      error: problem === null ? null : errorIn(problem, since),
      lastError: lastProblem === null ? null : errorIn(lastProblem, since),
    };
  }

  /** Body of the answer to the deletion of a subscription; `undefined` if it was not pushed. */
  deleteReply(
    project: ProjectReference,
    { name, push }: Pick<SubscriptionDocument, 'name' | 'push'>,
  ): Readonly<{ message: string }> | undefined {
    return push?.verified ? { message: `Subscription ${subscriptionName(project, name)} deactivated` } : undefined;
  }

  /** Body of `ams:healthStatus` (messaging contract 3.9): a warning if push is refused because the pushing node has gone. */
  async health(): Promise<Static<typeof HEALTH>> {
    const { node, alive } = await this.condition();
    if (node !== null && alive) return { status: 'ok', push_servers: [{ endpoint: node, status: 'SERVING' }] };
    if (this.pushes) return { status: 'ok', push_servers: [{ endpoint: this.ownNode, status: 'SERVING' }] }; // about to serve
    if (node === null) return { status: 'ok', push_functionality: 'disabled' };
    return { status: 'warning', push_servers: [{ endpoint: node, status: UNREACHABLE }] };
  }

  /** Requests the verification hash from the host of an endpoint. Resolves with the reason of a failure (U02), `undefined` on success. */
  verify(push: Parameters<typeof verifyEndpoint>[0], projectId: string): Promise<string | undefined> {
    return verifyEndpoint(push, this.sender, projectId);
  }

  /** Called by Nest after the last request. */
  onApplicationShutdown(): void {
    this.sender.close();
  }

  private get pushes(): boolean {
    return this.configuration.roles.includes('push');
  }

  private async condition(subscriptionId?: string): Promise<WorkCondition> {
    const condition = await workCondition(this.store, PUSH_LEASE, this.clock(), DEFAULT_LEASE_TIMING, subscriptionId);
    const now = performance.now();
    if (condition.node !== null) this.seenAt = now;
    else if (now - this.seenAt < FOUND_AGAIN_MS) throw new ReadModelsUnavailable('it is not known which node pushes');
    return condition;
  }
}
