import { useEffect, useMemo } from 'preact/hooks';
import { get, pathOf, send } from '../../api/client.js';
import type { ItemOf, PostAnswerOf } from '../../api/types.js';
import { POLL_MS } from '../../api/use-job.js';
import { counted } from '../../parts/figures.js';
import type { Acting } from '../../parts/outcome.js';

export type Partition = ItemOf<'/ops/projections/{name}/partitions'>;
type Projection = PostAnswerOf<'/ops/projections/{name}/resume'>;
type Tried = Pick<Partition, 'state' | 'failure'>;

/** A partition that is not listed. */
const SERVED: Tried = { state: 'served', failure: null };

const textOfFailure = ({ type, position, message }: NonNullable<Tried['failure']>): string => `${type} at position ${position}: ${message}`;

/** Outcome of a partition whose failing event was tried again, or left out. */
const outcomeOf = (action: string, { failure }: Tried): string =>
  `${action}: ${failure ? `an event failed, still paused: ${textOfFailure(failure)}.` : 'served again.'}`;

const RESUME_ALL = 'Resume of the projection';

const outcomeOfAll = ({ failure, setAside }: Projection): string => {
  if (failure) return `${RESUME_ALL}: an event failed, still stopped: ${textOfFailure(failure)}.`;
  const stay = setAside.partitions > 0 && `${counted(setAside.partitions, 'partition stays', 'partitions stay')} paused.`;
  return `${RESUME_ALL}: ${stay || 'following the log again.'}`;
};

/**
 * Has the failing events of paused partitions tried again, or one left out, and says what became of it, also of a rebuild that goes on after the answer.
 * @param path of the projection @param nameOf name of a partition for people @param changed the projection has changed
 */
export const useTryingAgain = (path: string, acting: Acting, nameOf: (partition: string) => string, changed: () => void) => {
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);
  const look = <Answer>(from: string) => get<Answer>(from, {}, { signal: gone.signal });
  const ended = async <Answer extends Readonly<{ state: string }>>(action: string, answer: Answer, now: () => Promise<Answer>) => {
    let last = answer;
    for (changed(); last.state === 'resuming' || last.state === 'rebuilding'; last = await now()) {
      acting.say(`${action}: applying the events again …`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (last !== answer) changed();
    return last;
  };
  const of = (partition: string): string => pathOf(`${path}/partitions`, partition);
  const endedOf = async (action: string, partition: string, answer: Tried): Promise<string> => {
    const now = async () => {
      const { items } = await look<Readonly<{ items: readonly Partition[] }>>(`${path}/partitions`);
      return items.find((group) => [group.partition, ...group.with].includes(partition)) ?? SERVED;
    };
    return outcomeOf(action, await ended(action, answer, now));
  };
  return {
    resumeAll: () =>
      acting.act(async () => {
        const answer = await send<Projection>('POST', `${path}/resume`, {});
        return outcomeOfAll(await ended(RESUME_ALL, answer, () => look<Projection>(path)));
      }),
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
