import type { Position, ServiceName } from '#domain/shared/events.js';
import type { Lag } from '#infra/engine/projection-runner/progress/lag.js';
import type { PaceSnapshot } from '#infra/engine/projection-runner/progress/pace.js';
import type { RebuildProgress } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import type { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { RunnerSnapshot, RunnerState } from './runner-snapshot.js';

/** State of a projection as shown everywhere. `degraded`: live, but with set-aside partitions. */
type ShownState = RunnerState | 'rebuilding' | 'degraded';

/** @param partitions how many are set aside @param isRebuilding in any process */
export const shownState = (state: RunnerState, partitions: number, isRebuilding: boolean): ShownState => {
  if (isRebuilding) return 'rebuilding';
  return state === 'live' && partitions > 0 ? 'degraded' : state;
};

/** Status of one projection. Times are UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionStatus = Readonly<{
  name: string;
  /** Version of the served documents; if none are served, that of the projection. */
  version: number;
  service: ServiceName;
  state: RunnerState;
  position: Position;
  /** Position of the newest event in the projection's categories; while it is not shown, the end of the log. */
  head: Position;
  lag: Lag;
  documents: number;
  appliedAt: string | null;
  /** Reason why the documents are hidden and being rebuilt: they do not come from this log. `null`: they do. */
  mismatch: string | null;
  /** Set-aside state of the served documents. */
  setAside: SetAside;
  /** The running rebuild, in any process. */
  rebuild: RebuildProgress | null;
  batchSeconds: RunnerSnapshot['batchSeconds'];
  /** `null` unless this process applies the log to the documents. */
  pace: PaceSnapshot | null;
}>;
