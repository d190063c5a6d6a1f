import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { DELIVERIES_CATEGORY } from '#domain/messaging/deliveries/delivery-events.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import { categoryOf } from '#domain/shared/events.js';

/** Categories whose streams lose events after a while, always from their start (operations contract 3). No other streams lose any. */
export const EXPIRING: readonly string[] = [MESSAGES_CATEGORY, CURSORS_CATEGORY, DELIVERIES_CATEGORY];

/** Whether the stream is of such a category. */
export const mayExpire = (stream: string): boolean => EXPIRING.includes(categoryOf(stream));
