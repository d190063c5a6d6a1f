import { askedSoon } from '#api/ops-kit/asked-soon.js';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';

type HistoryHealth = Readonly<{
  status: string;
  position?: string;
  lagSeconds?: number;
  /** Numbers of partitions by projection; absent if there are none. */
  partitionsSetAside?: Readonly<Record<string, number>>;
}>;

const UNKNOWN: HistoryHealth = { status: 'unknown' };

/**
 * The history in `/health`; `unknown` if the log does not answer within two seconds, and null on nodes without one. It never makes a node
 * unready: only reads as of the past wait for it.
 * @param keeper keeps documents of the past. `null`: the present read models do, which are shown with what is set aside there
 */
export const historyHealth = async (
  past: PastSources | null,
  keeper: Pick<ReadModels, 'names' | 'setAside'> | null,
  events: Pick<EventStore, 'readAll'>,
): Promise<HistoryHealth | null> => {
  if (!past) return null;
  try {
    const { state, position } = past.history.status();
    const lagSeconds = await askedSoon(ageOfNext(events, position));
    if (lagSeconds === null) return UNKNOWN;
    const setAside = keeper?.names.flatMap((name): [string, number][] => {
      const { size } = keeper.setAside(name);
      return size > 0 ? [[name, size]] : [];
    });
    const isDegraded = state === 'live' && Boolean(setAside?.length);
    return {
      status: isDegraded ? 'degraded' : state,
      position: `${position}`,
      lagSeconds,
      ...(setAside && setAside.length > 0 && { partitionsSetAside: Object.fromEntries(setAside) }),
    };
  } catch {
    return UNKNOWN;
  }
};

/** Seconds since the append of the first event after the position; 0 if there is none. @throws EventStoreUnavailable */
export const ageOfNext = async (events: Pick<EventStore, 'readAll'>, position: Position): Promise<number> => {
  const [next] = (await events.readAll({ after: position, limit: 1 })).events;
  return next ? Math.max(0, (Date.now() - next.recordedAt) / 1_000) : 0;
};
