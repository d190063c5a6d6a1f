import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { Change, MarksChange } from '#projections/shared/read-store.js';
import type { PartitionFailure, SetAside } from './set-aside.js';
import { leftOutChanges, newMarks, setAsideChanges } from './set-aside-documents.js';
import type { KnownSetAside } from './set-aside-tracker.js';

/** Changes of the documents and of the set-aside partitions. `leftOut`: failing events that a build leaves out. */
export type StepOutcome = Readonly<{ changes: readonly Change[]; setAside: SetAside; leftOut?: readonly EventReference[] }>;

/** Content of a commit that changes documents and set-aside state in one step. `known`: the set-aside state before the step, with its marks. */
export const stepCommit = (
  { changes, setAside, leftOut }: StepOutcome,
  known: KnownSetAside,
): Readonly<{ changes: readonly Change[]; marks: MarksChange }> => {
  const own = setAsideChanges(known.setAside, setAside);
  const notes = [...own.changes, ...leftOutChanges(leftOut ?? [])];
  return {
    changes: notes.length > 0 ? [...changes, ...notes] : changes,
    marks: { from: known.marks, to: own.marked ? newMarks(setAside) : known.marks },
  };
};

/** Members of a log line about a partition that was set aside. */
export const setAsideFacts = (projection: string, { partition, failure }: PartitionFailure): object => {
  const { position, id, type } = failure.event;
  return { projection, partition, position: `${position}`, eventId: id, type, err: failure.cause };
};
