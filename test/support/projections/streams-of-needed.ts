import { expect } from '@jest/globals';
import { projections } from '#api/runtime/vocabulary.js';
import { LOG_STREAM } from '#domain/operations/log-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { eventsOfStreams } from '#infra/engine/projection-runner/needed-streams.js';

/** Expects that the streams which needed read models name have all events of their categories, in log order. */
export const expectAllInStreams = async (log: EventStore): Promise<void> => {
  const end = await log.end();
  for (const { name, needed, categories } of projections) {
    if (!needed) continue;
    const ids: string[] = [];
    for (let [after, caughtUp] = [0n, false]; !caughtUp; ) {
      const page = await log.readAll({ after, categories, limit: 1_000 });
      ids.push(...page.events.map(({ id }) => id));
      [after, caughtUp] = [page.position, page.caughtUp];
    }
    const found = await eventsOfStreams(log, needed, end, new AbortController().signal);
    expect([name, found?.filter(({ stream }) => stream !== LOG_STREAM).map(({ id }) => id)]).toEqual([name, ids]);
  }
};
