import { useEffect, useMemo } from 'preact/hooks';
import { get, pathOf, send } from '../../api/client.js';
import type { ItemOf } from '../../api/types.js';
import { POLL_MS } from '../../api/use-job.js';
import type { Acting } from '../../parts/outcome.js';

export type Partition = ItemOf<'/ops/projections/{name}/partitions'>;
type Tried = Pick<Partition, 'state' | 'failure'>;

/** A partition that is not listed. */
const SERVED: Tried = { state: 'served', failure: null };

const textOfFailure = ({ type, position, message }: NonNullable<Tried['failure']>): string => `${type} at position ${position}: ${message}`;

/** Outcome of a partition whose failing event was tried again, or left out. */
const outcomeOf = (action: string, { failure }: Tried): string =>
  `${action}: ${failure ? `an event failed, still paused: ${textOfFailure(failure)}.` : 'served again.'}`;

/**
 * Has the failing events of paused partitions tried again, or one left out, and says what became of it, also of a rebuild that goes on after the answer.
 * @param path of the projection @param nameOf name of a partition for people @param changed the projection has changed
 */
export const useTryingAgain = (path: string, acting: Acting, nameOf: (partition: string) => string, changed: () => void) => {
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);
  const of = (partition: string): string => pathOf(`${path}/partitions`, partition);
  const now = async (partition: string): Promise<Tried> => {
    const { items } = await get<{ items: readonly Partition[] }>(`${path}/partitions`, {}, { signal: gone.signal });
    return items.find((group) => [group.partition, ...group.with].includes(partition)) ?? SERVED;
  };
  const endedOf = async (action: string, partition: string, answer: Tried): Promise<string> => {
    let last = answer;
    for (changed(); last.state === 'resuming'; last = await now(partition)) {
      acting.say(`${action}: applying the events again …`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (last !== answer) changed();
    return outcomeOf(action, last);
  };
  return {
    resume: (partition: string) =>
      acting.act(async () =>
        endedOf(`Resume of ${nameOf(partition)}`, partition, await send<Tried>('POST', `${of(partition)}/resume`, {})),
      ),
    /** Resolves when the event is left out; what became of the partition is said later. */
    skip: async (partition: string, reason: string): Promise<void> => {
      const answer = await send<Tried>('POST', `${of(partition)}/skip`, { reason });
      void acting.act(() => endedOf(`Skipped the failing event of ${nameOf(partition)}`, partition, answer));
    },
  };
};
