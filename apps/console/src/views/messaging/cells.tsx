import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import type { PushErrorNow } from './load.js';
import { subscriptionPlace } from './places.js';

type PushProps = Readonly<{ pushState: string | null; pushError: PushErrorNow | null }>;

/** `at`: beside the state of the push, or on a narrow page, which would cut it off there, below the name. */
const PushError = ({ pushError, at }: Pick<PushProps, 'pushError'> & Readonly<{ at: 'state' | 'name' }>) =>
  pushError && (
    <div class={`quiet push-error at-${at}`}>
      {pushError.since !== null && (
        <>
          for <Time at={pushError.since} elapsed />:{' '}
        </>
      )}
      {pushError.message}
    </div>
  );

/** How messages get to the consumer of a subscription, and why they do not. */
export const PushCell = ({ pushState, pushError }: PushProps) => {
  if (pushState === null) return <span class="quiet">pull</span>;
  return (
    <>
      <State tone={pushState === 'active' ? 'good' : 'bad'}>{pushState === 'not verified' ? 'nothing is pushed' : pushState}</State>
      <PushError pushError={pushError} at="state" />
    </>
  );
};

type MarkedProps = Pick<PushProps, 'pushError'> & Readonly<{ project: string; name: string; troubles: readonly string[] }>;

/** Name of a subscription, with words for what somebody has to look at. */
export const Marked = ({ project, name, troubles, pushError }: MarkedProps) => (
  <>
    <a href={subscriptionPlace(project, name)}>{name}</a>
    {troubles.map((trouble) => (
      <div key={trouble}>
        <State tone="bad">{trouble}</State>
      </div>
    ))}
    <PushError pushError={pushError} at="name" />
  </>
);

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
