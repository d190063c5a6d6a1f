import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';

const PAGE_EVENTS = 500;

/** The events of a stream, oldest first, page by page; no page is empty. @throws EventStoreUnavailable */
export async function* streamPages(
  events: Pick<EventStore, 'readStream'>,
  stream: string,
): AsyncGenerator<readonly RecordedEvent[], void, void> {
  for (let from: Revision = 0n; ; ) {
    const page = await events.readStream(stream, { from, limit: PAGE_EVENTS });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < PAGE_EVENTS) return;
    from = last.revision + 1n;
  }
}
