import type { Runtime } from '#api/runtime/runtime.js';
import { currentCall } from '#api/shared/as-of/past-call.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { PastEventStore } from './past-event-store.js';
import { PastReadStore } from './past-read-store.js';

/** No route of the past asks for a command; if one did, it would fail. */
const noCommands: Pick<StreamProcessor, 'execute' | 'close'> = {
  execute: async () => {
    throw new EventStoreUnavailable('nothing can be written as of the past');
  },
  close: async () => {},
};

/** The runtime of a call: its documents, its log and its time. Everything else is that of now. */
export const pastRuntime = (live: Runtime): Runtime => ({
  ...live,
  readStore: new PastReadStore(),
  eventStore: new PastEventStore(live.eventStore),
  clock: () => {
    const { point, refusal } = currentCall();
    return refusal || !point ? live.clock() : point.clock;
  },
  processor: noCommands as StreamProcessor,
});
