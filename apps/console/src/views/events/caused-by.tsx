import { placeOf } from '../../place.js';
import type { ChangesAnswer } from '../changes/sentences.js';
import type { ReadableEvent } from './rows.js';

/** Link to the event or request that led to an event. */
export const CausedBy = ({ event, conversation }: Readonly<{ event: ReadableEvent; conversation: ChangesAnswer | undefined }>) => {
  const { causationId, requestId, correlationId } = event;
  if (causationId === undefined) return <span class="quiet">–</span>;
  const cause = conversation?.items.find(({ id, index }) => id === causationId && index !== event.index);
  if (cause)
    return (
      <a href={placeOf(`/events/${cause.index}`)} title={causationId}>
        {cause.sentence} (#{cause.index})
      </a>
    );
  const isRequest = causationId === requestId || (conversation !== undefined && conversation.next === null);
  return isRequest ? (
    <a href={placeOf('/events', { request: causationId })}>request {causationId}</a>
  ) : (
    <a href={placeOf('/events', { correlation: correlationId ?? '' })}>{causationId}</a>
  );
};
