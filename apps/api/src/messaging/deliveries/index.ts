import type { Feature } from '#api/shared/feature.js';
import { DeadLetterLog } from './dead-letters/dead-letter-log.js';
import { DeadLetters } from './dead-letters/dead-letters.js';
import { Redrive } from './dead-letters/redrive.js';
import { Deliveries } from './deliveries.js';
import { DeliveryGateway } from './delivery-gateway.js';
import { PullDeliveries } from './pull-deliveries.js';
import { ServingNodes } from './serving-nodes.js';
import { SharedSubscriptions } from './shared-subscriptions.js';

export const deliveriesFeature: Feature = {
  controllers: [],
  providers: [DeadLetterLog, DeadLetters, Deliveries, DeliveryGateway, PullDeliveries, Redrive, ServingNodes, SharedSubscriptions],
};
