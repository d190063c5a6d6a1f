import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';

/** Large events make shorter pages. */
const PAGE = { limit: 500, maxBytes: 2 ** 20 } as const;

/** The events of a stream, oldest first, page by page; no page is empty. @throws EventStoreUnavailable */
export async function* streamPages(
  events: Pick<EventStore, 'readStream'>,
  stream: string,
): AsyncGenerator<readonly RecordedEvent[], void, void> {
  for (let from: Revision = 0n; ; ) {
    const page = await events.readStream(stream, { from, ...PAGE });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    from = last.revision + 1n;
  }
}
