import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { PublishedTopic } from '#api/shared/messaging-client.js';
import { CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import { type Message, messagesStream } from '#domain/messaging/messages/message-events.js';
import { messages as messagesDecider } from '#domain/messaging/messages/messages.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { LogRetention } from './log-retention.js';
import { requireBase64 } from './message-body.js';
import { MessageValidation } from './message-validation.js';
import { PublishMemory } from './publish-memory.js';

/** Ids of the messages in their order; `readable`: whether reads show them. */
export type Published = Readonly<{ messageIds: readonly string[]; readable: boolean }>;

/** Publishes messages to a topic: all of them, or none. @throws MessagingError B16, B22 to B25, I08 */
export class PublishMessages extends Command<Published> {
  /** @param bytes size of the call's body: only few large calls are stored at a time */
  constructor(
    readonly context: CommandContext,
    readonly topic: PublishedTopic,
    readonly messages: readonly Message[],
    readonly bytes: number,
  ) {
    super();
  }
}

@CommandHandler(PublishMessages)
export class PublishMessagesHandler implements ICommandHandler<PublishMessages> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly validation: MessageValidation,
    private readonly retention: LogRetention,
    private readonly memory: PublishMemory,
    private readonly telemetry: Telemetry,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingStrictBase64'>,
  ) {}

  async execute({ context, topic, messages, bytes }: PublishMessages): Promise<Published> {
    const { projectId, topicId, schemaId } = topic;
    const validated = await this.validation.require(projectId, schemaId, messages);
    if (!validated && this.configuration.messagingStrictBase64) await requireBase64(messages);
    await this.retention.forMessages(topicId);
    const { events, readable } = await this.memory.within(projectId, bytes, () => {
      const now = new Date(this.clock()).toISOString();
      return this.gateway.execute({
        stream: messagesStream(topicId),
        decider: messagesDecider,
        command: { type: 'PublishMessages', projectId, messages, now },
        context: { ...context, time: now },
      });
    });
    this.telemetry.messagesPublished.inc(events.length);
    return { messageIds: events.map(({ revision }) => String(revision)), readable };
  }
}
