import type { PARTITION, PROJECTION } from '#api/ops-kit/answers-documentation.js';
import type { Answered } from '#api/shared/openapi/described.js';
import type { Position } from '#domain/shared/events.js';
import type { ProjectionFailure } from '#infra/engine/projection-runner/failure.js';
import type { PaceSnapshot } from '#infra/engine/projection-runner/progress/pace.js';
import { type ProjectionStatus, shownState } from '#infra/engine/projection-runner/projection-status.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { SetAside, SetAsideGroup } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { KeptGroup } from './partition-operator.js';

type Projection = Answered<typeof PROJECTION>;

/** Index of the event at a position; `null` if it is not known here. */
type IndexAt = (position: Position) => number | null;

const failureView = ({ position, eventId, type, message, at }: ProjectionFailure, indexAt: IndexAt): Projection['failure'] => ({
  position: `${position}`,
  index: indexAt(position),
  eventId,
  type,
  message,
  at,
});

/** Seconds until no event waits, at the pace of the last minute; `null` for never. */
const secondsToCatchUp = ({ eventsIn, eventsOut }: PaceSnapshot, waiting: number): number | null => {
  if (waiting === 0) return 0;
  return eventsOut > eventsIn ? waiting / (eventsOut - eventsIn) : null;
};

const paceView = (pace: PaceSnapshot, waiting: number, indexAt: IndexAt): Projection['pace'] => ({
  eventsIn: pace.eventsIn,
  eventsOut: pace.eventsOut,
  caughtUpInSeconds: secondsToCatchUp(pace, waiting),
  slowestEvent: pace.slowest && {
    type: pace.slowest.type,
    index: indexAt(pace.slowest.position),
    milliseconds: pace.slowest.milliseconds,
  },
  lastHour: { from: new Date(pace.from).toISOString(), secondsEach: 60, lagSeconds: pace.lags },
});

/** Events that wait behind the failing one. */
const heldOf = ({ waiting }: SetAsideGroup): number => waiting - 1;

/** Numbers of partitions that are set aside and of the events that wait there. */
export const setAsideCounts = (setAside: SetAside): Readonly<{ partitions: number; events: number }> => ({
  partitions: setAside.size,
  events: [...setAside.groups.values()].reduce((sum, group) => sum + group.waiting, 0),
});

/**
 * Members in the order of operations contract 1, then `setAside` and `projector`. `position` is at most `head`, the newest relevant event.
 * `failure`: always `null`, because only partitions can fail. `pace`: `null` unless this node applies the log to it.
 * @param rebuild id of the running one
 * @param projector name of the node that updates it; `null` if there is none
 */
export const projectionView = (
  status: ProjectionStatus,
  rebuild: string | null,
  projector: string | null,
  indexAt: IndexAt = () => null,
): Omit<Projection, 'history'> => {
  const { name, version, service, state, position, head, lag, documents, appliedAt, setAside } = status;
  return {
    name,
    version,
    service,
    state: shownState(state, setAside.size, status.rebuild !== null),
    position: `${lag.events > 0 ? position : head}`,
    head: `${head}`,
    lag: { events: lag.events, seconds: lag.seconds },
    documents,
    appliedAt,
    failure: null,
    rebuild: rebuild && rebuildHref(rebuild),
    setAside: setAsideCounts(setAside),
    projector,
    pace: status.pace && paceView(status.pace, lag.events, indexAt),
  };
};

/** State of a projection in this node's history; `null` if that has the documents of the read models, or there is none. @throws ReadStoreUnavailable */
export const historyView = async (keeper: ReadModels | null, name: string): Promise<Projection['history']> => {
  if (!keeper) return null;
  const [setAside, isRebuilding] = [keeper.setAside(name), await keeper.isRebuilding(name)];
  return { state: shownState(keeper.state(name) ?? 'catching-up', setAside.size, isRebuilding), setAside: setAsideCounts(setAside) };
};

const stateOf = (group: SetAsideGroup | undefined, isRebuilding = false): 'resuming' | 'set-aside' | 'served' =>
  group ? (isRebuilding ? 'resuming' : 'set-aside') : 'served';

/**
 * `partition`: the requested one. `with`: others that are set aside with it, because some event touches both. `history`: state in this node's history; `null`
 * if it is not set aside there.
 */
export const partitionView = (
  partition: string,
  kept: KeptGroup | undefined,
  indexAt: IndexAt = () => null,
): Answered<typeof PARTITION> => {
  const group = kept?.served ?? kept?.history;
  return {
    partition,
    with: [...(group?.partitions.keys() ?? [])].filter((name) => name !== partition).sort(),
    state: stateOf(kept?.served, kept?.isRebuilding.served),
    held: group ? heldOf(group) : 0,
    failure: group ? failureView(group.failure, indexAt) : null,
    history: kept?.history ? stateOf(kept.history, kept.isRebuilding.history) : null,
  };
};

export const REBUILDS_PATH = '/ops/rebuilds';
export const VERIFICATIONS_PATH = '/ops/verifications';

const rebuildHref = (id: string): string => `${REBUILDS_PATH}/${id}`;
