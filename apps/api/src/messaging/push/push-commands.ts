import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type ResourceOutcome, resourcesOf } from '#api/messaging/resources/project-resources.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { PushAvailability } from './push-availability.js';

/** Replaces the push settings of a subscription. `push`: `null` if the subscription is to be pulled. */
export class ReplacePushConfiguration extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly subscription: string,
    readonly push: PushRequest | null,
  ) {
    super();
  }
}

@CommandHandler(ReplacePushConfiguration)
class ReplacePushConfigurationHandler implements ICommandHandler<ReplacePushConfiguration> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly resources: ResourceQueries,
    private readonly availability: PushAvailability,
  ) {}

  /** @throws MessagingError N04, C07, I07 */
  async execute({ context, projectId, subscription, push: request }: ReplacePushConfiguration): Promise<ResourceOutcome> {
    found(await this.resources.subscription(projectId, subscription), errors.subscriptionNotFound);
    const push = await this.availability.requested(request);
    return this.gateway.execute({
      ...resourcesOf(projectId),
      context,
      command: { type: 'ReplacePushConfiguration', subscription, push },
    });
  }
}

/** Asks the host of the push endpoint of a subscription for the verification hash; with the right answer, messages are pushed from then on. */
export class VerifyPushEndpoint extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly subscription: string,
  ) {
    super();
  }
}

@CommandHandler(VerifyPushEndpoint)
class VerifyPushEndpointHandler implements ICommandHandler<VerifyPushEndpoint> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly resources: ResourceQueries,
    private readonly availability: PushAvailability,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws MessagingError C07, I07, N04, C08, U02 */
  async execute({ context, projectId, subscription }: VerifyPushEndpoint): Promise<ResourceOutcome> {
    await this.availability.requireAvailable();
    const { push } = found(await this.resources.subscription(projectId, subscription), errors.subscriptionNotFound);
    if (push?.type !== 'http_endpoint') throw errors.notInPushMode();
    // One that is verified is left to the decider, which knows whether this is a repeat of the call that verified it.
    const failure = push.verified ? undefined : await this.availability.verify(push);
    if (failure !== undefined) throw errors.verificationFailed(failure);
    return this.gateway.execute({
      ...resourcesOf(projectId),
      context: contextNow(context, this.clock), // the endpoint took its time
      command: { type: 'VerifyPushEndpoint', subscription, verificationHash: push.verificationHash },
    });
  }
}

export const pushCommandHandlers: readonly Type[] = [ReplacePushConfigurationHandler, VerifyPushEndpointHandler];
