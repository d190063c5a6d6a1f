import { Module } from '@nestjs/common';
import { MessagingAccess } from './access.js';
import { accountProviders } from './accounts/index.js';
import { cursorProviders } from './cursors/index.js';
import { MessagingHttpPolicy } from './http-policy.js';
import { messagingControllers } from './index.js';
import { messageProviders } from './messages/index.js';
import { pushProviders } from './push/index.js';
import { resourceProviders } from './resources/index.js';
import { trafficProviders } from './traffic/index.js';

/** `/v1`: projects, users, topics, subscriptions, schemas, messages, push. */
@Module({
  controllers: [...messagingControllers],
  providers: [
    MessagingAccess,
    MessagingHttpPolicy,
    ...accountProviders,
    ...messageProviders,
    ...cursorProviders,
    ...trafficProviders,
    ...pushProviders,
    ...resourceProviders,
  ],
})
export class MessagingModule {}
