import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { type TopicLogDiscarded, type TrafficRecorded, traffic, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { CommandContext } from '#domain/shared/execution.js';

/** Records the traffic of a topic before its messages expire. Without effect if another node has made this record. */
export class RecordTraffic extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly traffic: TrafficRecorded['data'],
  ) {
    super();
  }
}

/** Discards the messages of a deleted topic. Every node may do so; it is recorded once. */
export class DiscardTopicLog extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly topic: TopicLogDiscarded['data'],
  ) {
    super();
  }
}

@CommandHandler(RecordTraffic)
export class RecordTrafficHandler implements ICommandHandler<RecordTraffic> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, traffic: recorded }: RecordTraffic): Promise<void> {
    const stream = trafficStream(recorded.topicId);
    await this.gateway.execute({ stream, decider: traffic, command: { type: 'RecordTraffic', ...recorded }, context }, false);
  }
}

@CommandHandler(DiscardTopicLog)
export class DiscardTopicLogHandler implements ICommandHandler<DiscardTopicLog> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly log: MessageLog,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'truncate'>,
  ) {}

  async execute({ context, topic }: DiscardTopicLog): Promise<void> {
    const { topicId } = topic;
    const head = await this.log.head(topicId);
    if (head > 0) await this.events.truncate(messagesStream(topicId), BigInt(head));
    const stream = trafficStream(topicId);
    await this.gateway.execute({ stream, decider: traffic, command: { type: 'DiscardTopicLog', ...topic }, context }, false);
  }
}
