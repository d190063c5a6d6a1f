import { encoded } from '../../api/client.js';
import { placeOf } from '../../place.js';
import { messagingPlace } from '../../records/places.js';

/** Subscriptions of all projects. `order`: as in the query. */
export const listPlace = (order?: string): string => placeOf('/messaging', { tab: 'subscriptions', order });

export const projectPlace = (project: string): string => messagingPlace(project);

export const topicPlace = (project: string, topic: string): string => messagingPlace(project, 'topics', topic);

/** `tab`: as in the query. Default: the state. */
export const subscriptionPlace = (project: string, subscription: string, tab?: string): string =>
  placeOf(`/messaging/${encoded(project)}/subscriptions/${encoded(subscription)}`, { tab });
