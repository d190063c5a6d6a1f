import type { Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Consumption } from '#api/messaging/cursors/consumption.js';
import { AnswerRoom } from '#api/messaging/cursors/held-answer.js';
import { TrafficRecorder } from '#api/messaging/traffic/traffic-recorder.js';
import { CLOCK, CONFIGURATION, DECODE, EVENT_STORE, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/config/configuration.js';
import type { OpeningEventStore } from '#infra/log-identity/opening-event-store.js';
import type { Logger } from '#infra/logging/logger.js';
import type { DecodeEvents } from '#infra/projection-runner/apply-batch.js';
import { MessageValidator } from '#infra/schemas/validation/message-validator.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import { OffsetQueries, TrafficQueries, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { LargeCalls } from './large-calls.js';
import { LogRetention } from './log-retention.js';
import { MessageLog } from './message-log.js';
import { TopicWatch } from './topic-watch.js';
import { WireMessages } from './wire-messages.js';

/** What publishing and consuming messages works with. */
export const messageProviders: readonly Provider[] = [
  { provide: OffsetQueries, useFactory: (store: ReadStore) => new OffsetQueries(store), inject: [READ_STORE] },
  { provide: TrafficQueries, useFactory: (store: ReadStore) => new TrafficQueries(store), inject: [READ_STORE] },
  { provide: TrafficRecordQueries, useFactory: (store: ReadStore) => new TrafficRecordQueries(store), inject: [READ_STORE] },
  {
    provide: MessageLog,
    useFactory: (events: EventStore, decode: DecodeEvents, offsets: OffsetQueries) => new MessageLog({ events, decode, offsets }),
    inject: [EVENT_STORE, DECODE, OffsetQueries],
  },
  {
    provide: WireMessages,
    useFactory: (log: MessageLog, events: OpeningEventStore) => {
      const messages = new WireMessages(log);
      events.onInterruption(() => messages.forget());
      return messages;
    },
    inject: [MessageLog, EVENT_STORE],
  },
  {
    provide: TopicWatch,
    useFactory: (store: ReadStore, offsets: OffsetQueries) => new TopicWatch(store, offsets),
    inject: [READ_STORE, OffsetQueries],
  },
  {
    provide: LogRetention,
    useFactory: (events: OpeningEventStore, { messagingRetentionSeconds }: Configuration) => {
      const retention = new LogRetention(events, messagingRetentionSeconds);
      events.onInterruption(() => retention.forget());
      return retention;
    },
    inject: [EVENT_STORE, CONFIGURATION],
  },
  { provide: AnswerRoom, useFactory: () => new AnswerRoom() },
  { provide: LargeCalls, useFactory: () => new LargeCalls() },
  { provide: MessageValidator, useFactory: () => new MessageValidator() },
  {
    provide: TrafficRecorder,
    useFactory: (
      topics: TrafficRecordQueries,
      events: EventStore,
      log: MessageLog,
      processor: StreamProcessor,
      clock: Clock,
      logger: Logger,
      { messagingRetentionSeconds: retentionSeconds }: Configuration,
    ) => new TrafficRecorder({ topics, events, log, processor, clock, logger, retentionSeconds }),
    inject: [TrafficRecordQueries, EVENT_STORE, MessageLog, StreamProcessor, CLOCK, LOGGER, CONFIGURATION],
  },
  {
    provide: Consumption,
    useFactory: (offsets: OffsetQueries, log: MessageLog, watch: TopicWatch, retention: LogRetention, clock: Clock, commands: CommandBus) =>
      new Consumption({ offsets, log, watch, retention, clock, execute: (write) => commands.execute(write) }),
    inject: [OffsetQueries, MessageLog, TopicWatch, LogRetention, CLOCK, CommandBus],
  },
];
