import type { Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Consumption } from '#api/messaging/cursors/consumption.js';
import { AnswerRoom } from '#api/messaging/cursors/held-answer.js';
import { MessagingSettings } from '#api/messaging/messaging-settings.js';
import { TrafficRecorder } from '#api/messaging/traffic/traffic-recorder.js';
import type { Runtime } from '#api/runtime.js';
import { MessageValidator } from '#infra/schemas/validation/message-validator.js';
import { LargeCalls } from './large-calls.js';
import { LogRetention } from './log-retention.js';
import { MessageLog } from './message-log.js';
import { TopicWatch } from './topic-watch.js';
import { WireMessages } from './wire-messages.js';

/** What publishing and consuming messages works with. */
export const messageProviders = (runtime: Runtime): readonly Provider[] => {
  const { configuration, clock, eventStore: events, decode, readStore: store, processor, logger } = runtime;
  const { messagingStrictBase64, messagingProjectOnApproval, messagingRetentionSeconds: retentionSeconds } = configuration;
  const log = new MessageLog({ events, decode, store });
  const wireMessages = new WireMessages(log);
  const watch = new TopicWatch(store);
  const retention = new LogRetention(events, retentionSeconds);
  events.onInterruption(() => {
    wireMessages.forget();
    retention.forget();
  });
  return [
    { provide: MessagingSettings, useValue: new MessagingSettings(messagingStrictBase64, messagingProjectOnApproval) },
    { provide: MessageLog, useValue: log },
    { provide: WireMessages, useValue: wireMessages },
    { provide: TopicWatch, useValue: watch },
    { provide: LogRetention, useValue: retention },
    { provide: AnswerRoom, useValue: new AnswerRoom() },
    { provide: LargeCalls, useValue: new LargeCalls() },
    { provide: MessageValidator, useValue: new MessageValidator() },
    { provide: TrafficRecorder, useValue: new TrafficRecorder({ store, events, log, processor, clock, logger, retentionSeconds }) },
    {
      provide: Consumption,
      useFactory: (commands: CommandBus) =>
        new Consumption({ store, log, watch, retention, clock, execute: (write) => commands.execute(write) }),
      inject: [CommandBus],
    },
  ];
};
