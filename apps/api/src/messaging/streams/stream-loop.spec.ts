import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { turns } from '#test/support/turns.js';
import { eventsOf, type StreamedSubscription } from './stream-loop.js';

const first = {} as StreamedSubscription;

/** A stream of what `take` returns. */
const streamOf = (take: () => Promise<readonly string[]>, signal: AbortSignal, takenAll: () => void = () => undefined) =>
  eventsOf({
    first,
    current: async () => first,
    begin: () => ({ take }),
    signal,
    refused: new AbortController().signal,
    logger: { warn: () => undefined },
    taken: () => undefined,
    takenAll,
  });

it('Memory of messages is given back before a stream waits for the next ones', async () => {
  const [log, gone] = [[] as string[], new AbortController()];
  const parts = [['first', 'second'], []];
  const take = async () => {
    log.push('take');
    const part = parts.shift() ?? [];
    if (part.length === 0) gone.abort();
    return part;
  };
  for await (const event of streamOf(take, gone.signal, () => log.push('taken all'))) log.push(event.trim());
  expect(log).toEqual([': keep-alive', 'take', 'first', 'second', 'taken all', 'take', 'taken all', expect.stringContaining('end')]);
});

it('Messages that were sent are not kept while a stream waits for the next ones', async () => {
  const [sent, gone] = [[] as WeakRef<object>[], new AbortController()];
  const take = async () => {
    if (sent.length > 0) await once(gone.signal, 'abort');
    const message = new String('message'); // an object, because a string has no weak reference
    sent.push(new WeakRef(message));
    return [message as string];
  };
  const events = streamOf(take, gone.signal);
  const next = async (): Promise<void> => void (await events.next());
  await next();
  await next();
  expect(sent).toHaveLength(1);
  const waiting = next();
  await turns();
  collectGarbage();
  expect(sent.map((message) => message.deref())).toEqual([undefined]);
  gone.abort();
  await waiting;
});
