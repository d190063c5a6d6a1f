import type { EventStore } from './event-store.js';
import type { EventMetadata, RecordedEvent } from './events.js';

/** An event or a request, by id, as the cause of other events. */
export type Cause = Readonly<{ id: string; correlationId: string }>;

type Conversation = Pick<EventMetadata, 'correlationId' | 'causationId'>;

export const causeOf = ({ id, metadata }: Readonly<{ id: string; metadata: Pick<EventMetadata, 'correlationId'> }>): Cause => ({
  id,
  correlationId: metadata.correlationId,
});

/** The cause of the events of a command, as the cause of what others record for it. */
export const causeIn = ({ causationId, correlationId }: Conversation): Cause => ({ id: causationId, correlationId });

/** Metadata of an event that follows from its cause: it belongs to the same conversation. An event about several others names the first of them. */
export const reactionTo = ({ id, correlationId }: Cause): Conversation => ({ correlationId, causationId: id });

/** Newest events of a stream among which a cause is searched. */
const SEARCHED = { direction: 'backwards', limit: 200, maxBytes: 512 * 1024 } as const;

/** The newest event of a stream that passes; `null` if none of the last ones does. @throws the errors of the log */
export const newestCause = async (
  events: Pick<EventStore, 'readStream'>,
  stream: string,
  passes: (event: RecordedEvent) => boolean = () => true,
): Promise<Cause | null> => {
  const found = (await events.readStream(stream, SEARCHED)).find(passes);
  return found ? causeOf(found) : null;
};
