import { commandWith } from '#api/shared/commands/command-of.js';
import type { PublishedTopic } from '#api/shared/messaging-client.js';
import { CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import { type Message, messagesStream } from '#domain/messaging/messages/message-events.js';
import { messages as messagesDecider, type PublishedIds } from '#domain/messaging/messages/messages.js';
import type { Execution } from '#domain/shared/execution.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { deduplicationIds, messageIdsOf, withKnownIds } from './deduplicated-publish.js';
import { LogRetention } from './log-retention.js';
import { requireBase64 } from './message-body.js';
import { MessageValidation } from './message-validation.js';
import { PublishMemory } from './publish-memory.js';

/**
 * Publishes all messages to a topic, or none, and resolves with their ids in their order. `bytes`: size of the call's body; only few large
 * calls are stored at a time.
 * @throws MessagingError B16, B22 to B25, I08
 */
export class PublishMessages extends commandWith(
  [MessageValidation, LogRetention, PublishMemory, OffsetQueries, Telemetry, CLOCK, CONFIGURATION],
  async (
    { topic, messages, bytes }: Readonly<{ topic: PublishedTopic; messages: readonly Message[]; bytes: number }>,
    { context, gateway },
    validation,
    retention,
    memory,
    offsets,
    telemetry,
    clock,
    { messagingLenient },
  ) => {
    if (messages.length === 0) return { messageIds: [], readable: true };
    const { projectId, topicId, schemaId } = topic;
    const command = { type: 'PublishMessages', projectId, messages, now: context.time } as const;
    const target = { stream: messagesStream(topicId), decider: messagesDecider, command, context };
    const check = async () => {
      const validated = await validation.require(projectId, schemaId, messages);
      if (!validated && !messagingLenient) await requireBase64(messages);
    };
    const publish = (ids?: PublishedIds) =>
      memory.within(projectId, { bytes, values: 2 * messages.length }, (done) => {
        const now = new Date(clock()).toISOString();
        const onExecuted = (execution: Execution): void => {
          context.onExecuted?.(execution);
          done(); // read models may take seconds
        };
        return gateway.execute({ ...target, command: { ...command, now, ...ids }, context: { ...context, time: now, onExecuted } });
      });
    const ids = deduplicationIds(messages);
    const skipped = new Map<string, number>();
    const outcome = await gateway.executeAfter(target, check, async () => {
      await retention.forMessages(topic);
      if (ids.length === 0) return publish();
      const lookUp = () => offsets.knownIds({ projectId, topicId }, ids, clock());
      return withKnownIds(lookUp, (known) => publish({ known, skipped }));
    });
    const { events, readable } = outcome;
    telemetry.messagesPublished.inc(events.length);
    if (ids.length === 0) return { messageIds: events.map(({ revision }) => String(revision)), readable };
    const lookUp = (some: readonly string[], before: number) => offsets.earlierOffsets({ projectId, topicId }, some, before);
    return { messageIds: await messageIdsOf(messages, { ...outcome, skipped }, lookUp), readable };
  },
) {}
