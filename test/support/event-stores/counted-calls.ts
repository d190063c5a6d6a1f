import type { EventStore } from '#domain/shared/event-store.js';

const COUNTED = ['append', 'readStream', 'readAll', 'head', 'end', 'setRetention'] as const satisfies readonly (keyof EventStore)[];

/** The calls of an event store from now on, except subscriptions: the method, and the stream if it has one. */
export const countedCalls = (store: EventStore): (readonly [method: string, stream: unknown])[] => {
  const calls: (readonly [string, unknown])[] = [];
  for (const method of COUNTED) {
    const call = store[method].bind(store) as (...args: readonly unknown[]) => unknown;
    const counted = (...args: readonly unknown[]): unknown => {
      calls.push([method, args[0]]);
      return call(...args);
    };
    Object.assign(store, { [method]: counted });
  }
  return calls;
};
