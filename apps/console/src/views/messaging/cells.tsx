import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import type { PushErrorNow } from './load.js';

type PushProps = Readonly<{ pushState: string | null; pushError: PushErrorNow | null }>;

/** How messages get to the consumer of a subscription, and why they do not. */
export const PushCell = ({ pushState, pushError }: PushProps) => {
  if (pushState === null) return <span class="quiet">pull</span>;
  return (
    <>
      <State tone={pushState === 'active' ? 'good' : 'bad'}>{pushState}</State>
      {pushError && (
        <div class="quiet">
          {pushError.since !== null && (
            <>
              since <Time at={pushError.since} relative />:{' '}
            </>
          )}
          {pushError.message}
        </div>
      )}
    </>
  );
};

type WaitingProps = Readonly<{ backlog: number; oldestPublishedAt: string | null; exact: boolean }>;

export const OldestWaiting = ({ backlog, oldestPublishedAt, exact }: WaitingProps) => {
  if (oldestPublishedAt === null) return backlog > 0 ? <span class="quiet">not known yet</span> : <Time at={null} />;
  return (
    <>
      {!exact && 'at most '}
      <Time at={oldestPublishedAt} relative />
    </>
  );
};
