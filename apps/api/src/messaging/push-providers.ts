import type { Provider } from '@nestjs/common';
import type { Runtime } from '../runtime.js';
import { Consumption } from './consumption.js';
import { MessageLog } from './message-log.js';
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
