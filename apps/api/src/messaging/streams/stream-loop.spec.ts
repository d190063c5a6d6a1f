import { expect, it } from '@jest/globals';
import { eventsOf, type StreamedSubscription } from './stream-loop.js';

it('Memory of messages is given back before a stream waits for the next ones', async () => {
  const [log, gone, refused] = [[] as string[], new AbortController(), new AbortController().signal];
  const parts = [['first', 'second'], []];
  const take = async () => {
    log.push('take');
    const part = parts.shift() ?? [];
    if (part.length === 0) gone.abort();
    return part;
  };
  const first = {} as StreamedSubscription;
  const loop = {
    first,
    current: async () => first,
    begin: () => ({ take }),
    signal: gone.signal,
    refused,
    logger: { warn: () => undefined },
  };
  for await (const event of eventsOf({ ...loop, taken: () => undefined, takenAll: () => log.push('taken all') })) log.push(event.trim());
  expect(log).toEqual([': keep-alive', 'take', 'first', 'second', 'taken all', 'take', 'taken all', expect.stringContaining('end')]);
});
