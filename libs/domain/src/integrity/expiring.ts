import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { DELIVERIES_CATEGORY } from '#domain/messaging/deliveries/delivery-events.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import { categoryOf } from '#domain/shared/events.js';

/** Categories whose streams lose expired events, always from their start (operations contract 3). Other streams keep all events. */
export const EXPIRING: readonly string[] = [MESSAGES_CATEGORY, CURSORS_CATEGORY, DELIVERIES_CATEGORY];

export const mayExpire = (stream: string): boolean => EXPIRING.includes(categoryOf(stream));
