import type { StepOutcome } from '#infra/engine/projection-runner/apply-batch.js';
import type { Change, MarksChange } from '#projections/shared/read-store.js';
import type { PartitionFailure } from './set-aside.js';
import { contestedChanges, newMarks, setAsideChanges } from './set-aside-documents.js';
import type { KnownSetAside } from './set-aside-tracker.js';

/** Content of a commit that changes documents and set-aside state in one step. `known`: the set-aside state before the step, with its marks. */
export const stepCommit = (
  { changes, contested, setAside }: StepOutcome,
  known: KnownSetAside,
): Readonly<{ changes: readonly Change[]; marks: MarksChange }> => {
  const own = setAsideChanges(known.setAside, setAside);
  const notes = setAside.isEmpty ? [] : contestedChanges(contested);
  return {
    changes: own.changes.length + notes.length > 0 ? [...changes, ...notes, ...own.changes] : changes,
    marks: { from: known.marks, to: own.marked ? newMarks(setAside) : known.marks },
  };
};

/** Members of a log line about a partition that was set aside. */
export const setAsideFacts = (projection: string, { partition, failure }: PartitionFailure): object => {
  const { position, id, type } = failure.event;
  return { projection, partition, position: `${position}`, eventId: id, type, err: failure.cause };
};
