import type { Position } from '#domain/shared/events.js';
import { CheckpointConflict, type Namespace } from '#projections/shared/read-store.js';

/**
 * A commit removed the documents under a prefix, at a position. Some of them have no record of it yet, but reads show them as removed: those whose
 * newest record is before `end`.
 */
export type Removal = Readonly<{ collection: string; prefix: string; position: number; end: number }>;

/**
 * Progress of a build. `marks`: its token, under its name in files. `commits`: their number. `from`: first position that it can show.
 * `bytes`: size of the newest records of its documents. `versions`: newest and earlier ones. `backTo`: smallest position to which the
 * checkpoint went back, because the log ended there or was replaced. `removals`: those that are not recorded for all their documents yet, oldest
 * first; `documents`, `bytes` and `versions` do not contain them yet.
 */
export type BuildState = Readonly<{
  checkpoint: Position;
  origin: string | null;
  marks: string;
  commits: number;
  from: Position;
  documents: number;
  bytes: number;
  versions: number;
  backTo: Position | null;
  removals: readonly Removal[];
}>;

export const NEW_BUILD: BuildState = {
  checkpoint: 0n,
  origin: null,
  marks: '',
  commits: 0,
  from: 0n,
  documents: 0,
  bytes: 0,
  versions: 0,
  backTo: null,
  removals: [],
};

/** Expected and new state of a build. Without `origin` or `token`, these are unchanged. */
export type CheckpointMove = Readonly<{ from: Position; to: Position; origin?: string | undefined; token?: string | undefined }>;

/** Returns the reason why a commit cannot be applied to the build. */
export const refusalOf = ({ projection }: Namespace, state: BuildState, { from }: CheckpointMove): CheckpointConflict | undefined =>
  state.checkpoint === from ? undefined : new CheckpointConflict(projection, from, state.checkpoint);

export const moved = (state: BuildState, { to, origin, token }: CheckpointMove): BuildState => ({
  ...state,
  checkpoint: to,
  origin: origin ?? state.origin,
  ...(to < state.checkpoint && { backTo: state.backTo === null || to < state.backTo ? to : state.backTo }),
  marks: token ?? state.marks,
  commits: state.commits + 1,
});

/** Adds documents, their bytes and versions. Replaces the removals. */
export const withGain = (state: BuildState, gain: Pick<BuildState, 'documents' | 'bytes' | 'versions' | 'removals'>): BuildState => ({
  ...state,
  documents: state.documents + gain.documents,
  bytes: state.bytes + gain.bytes,
  versions: state.versions + gain.versions,
  removals: gain.removals,
});

/** Returns the stored form. Members that seldom change are omitted if they equal those of `before`. */
export const rowOf = (state: BuildState, before?: BuildState): object => {
  const { checkpoint, origin, marks, commits, from, documents, bytes, versions, backTo, removals } = state;
  return {
    ...{ checkpoint: String(checkpoint), commits, documents, bytes, versions },
    ...(origin !== before?.origin && { origin }),
    ...(marks !== before?.marks && { marks }),
    ...(from !== before?.from && { from: String(from) }),
    ...(backTo !== (before?.backTo ?? null) && { backTo: String(backTo) }),
    ...(removals !== (before ?? NEW_BUILD).removals && { removals }),
  };
};

export const stateAfter = (before: BuildState, row: object): BuildState => {
  const after = { ...before, ...row };
  const { checkpoint, from, backTo } = after;
  return { ...after, checkpoint: BigInt(checkpoint), from: BigInt(from), backTo: backTo === null ? null : BigInt(backTo) };
};
