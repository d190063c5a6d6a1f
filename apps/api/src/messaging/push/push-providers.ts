import type { Provider } from '@nestjs/common';
import { Consumption } from '#api/messaging/cursors/consumption.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import type { Runtime } from '#api/runtime.js';
import { PushDesk } from './push-desk.js';
import { PushService } from './push-service.js';

/** What pushing messages works with. */
export const pushProviders = ({ configuration, clock, logger, readStore: store }: Runtime): readonly Provider[] => {
  const desk = new PushDesk({ store, clock, configuration });
  return [
    { provide: PushDesk, useValue: desk },
    {
      provide: PushService,
      useFactory: (consumption: Consumption, log: MessageLog) => new PushService({ store, clock, logger, consumption, log, desk }),
      inject: [Consumption, MessageLog],
    },
  ];
};
