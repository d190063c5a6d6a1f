import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { LeasedMessages } from './leased-source.js';
import * as pushCommands from './push-commands.js';
import { PushConfigController } from './push-config.controller.js';
import { PushRoom } from './push-room.js';
import { PushService } from './push-service.js';
import { PushedSubscriptions } from './push-source.js';

export const pushFeature: Feature = {
  controllers: [PushConfigController],
  providers: [LeasedMessages, PushedSubscriptions, PushRoom, PushService, ...handlersOf(pushCommands)],
};
