import type { ItemOf } from '../../api/types.js';

/** An event of a list, readable form, or what is left of an expired one. */
export type EventItem = ItemOf<'/audit/events'>;
/** One in the readable form. */
export type ReadableEvent = Extract<EventItem, { actor: unknown }>;

export const isReadable = (event: EventItem): event is ReadableEvent => 'actor' in event;

/** What a list shows of an event, and no more: its data may be large. All but the index are gone with an expired one. */
export type EventRow = Readonly<{
  index: number;
  position?: string;
  type?: string;
  stream?: string;
  time?: string;
  actor?: ReadableEvent['actor'];
}>;

export const rowOf = (event: EventItem): EventRow => {
  if (!isReadable(event)) return 'position' in event ? { index: event.index, position: event.position } : { index: event.index };
  const { index, position, type, stream, time, actor } = event;
  return { index, position, type, stream, time, actor };
};
