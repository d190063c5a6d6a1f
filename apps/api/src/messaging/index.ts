import type { Type } from '@nestjs/common';
import { accountControllers } from './accounts/index.js';
import { cursorControllers } from './cursors/index.js';
import { messageControllers } from './messages/index.js';
import { pushControllers } from './push/index.js';
import { resourceControllers } from './resources/index.js';
import { ServiceInfoController } from './service-info.controller.js';
import { trafficControllers } from './traffic/index.js';

/** Every controller of the messaging service. */
export const messagingControllers: readonly Type[] = [
  ...accountControllers,
  ...resourceControllers,
  ...messageControllers,
  ...cursorControllers,
  ...pushControllers,
  ...trafficControllers,
  ServiceInfoController,
];
