import type { ProjectionFailure } from '#infra/engine/projection-runner/failure.js';
import { type ProjectionStatus, shownState } from '#infra/engine/projection-runner/projection-status.js';
import type { SetAside, SetAsideGroup } from '#infra/engine/projection-runner/set-aside/set-aside.js';

const failureView = ({ position, eventId, type, message, at }: ProjectionFailure): object => ({
  position: `${position}`,
  eventId,
  type,
  message,
  at,
});

/** Events that wait behind the one that fails. */
const heldOf = ({ waiting }: SetAsideGroup): number => waiting - 1;

/** How many partitions are set aside, and how many events wait there. */
export const setAsideCounts = (setAside: SetAside): Readonly<{ partitions: number; events: number }> => ({
  partitions: setAside.size,
  events: [...setAside.groups.values()].reduce((sum, group) => sum + group.waiting, 0),
});

/**
 * Members in the order of operations contract 1, and `setAside` and `projector` besides.
 * `position` is never above `head`, which is the newest event that it has to have seen.
 * @param rebuild id of the one under way
 * @param projector name of the node that keeps it up to date; `null`: none does
 */
export const projectionView = (status: ProjectionStatus, rebuild: string | null, projector: string | null): object => {
  const { name, version, service, state, position, head, lag, documents, appliedAt, failure, setAside } = status;
  return {
    name,
    version,
    service,
    state: shownState(state, setAside.size),
    position: `${lag.events > 0 ? position : head}`,
    head: `${head}`,
    lag: { events: lag.events, seconds: lag.seconds },
    documents,
    appliedAt,
    failure: failure && failureView(failure),
    rebuild: rebuild && rebuildHref(rebuild),
    setAside: setAsideCounts(setAside),
    projector,
  };
};

/** `partition`: the one asked for. Others that are set aside with it, because some event touches both, stand in `with`. */
export const partitionView = (partition: string, group: SetAsideGroup | undefined): object => ({
  partition,
  with: [...(group?.partitions.keys() ?? [])].filter((name) => name !== partition).sort(),
  state: group ? (group.resuming ? 'resuming' : 'set-aside') : 'served',
  held: group ? heldOf(group) : 0,
  failure: group ? failureView(group.failure) : null,
});

export const REBUILDS_PATH = '/ops/rebuilds';
export const VERIFICATIONS_PATH = '/ops/verifications';

const rebuildHref = (id: string): string => `${REBUILDS_PATH}/${id}`;
