import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import { categoryOf } from '#domain/shared/events.js';

/** Whether the streams of this kind lose events, always from their start (operations contract 3). */
export const isExpiring = (stream: string): boolean => [MESSAGES_CATEGORY, CURSORS_CATEGORY].includes(categoryOf(stream));

/** Streams of keys are cut when a key is destroyed; only what tells of that stays. */
export const isKeyStream = (stream: string): boolean => stream.startsWith('keys.');
