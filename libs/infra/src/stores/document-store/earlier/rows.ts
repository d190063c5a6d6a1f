import type { Position } from '#domain/shared/events.js';

type Build = Readonly<{ build: number; version: number; position: number; from: number }>;

/**
 * Stored state of a projection. `oldUntil`: position before which `from` was not final. `kept`: builds of earlier versions of the
 * projection, oldest first. `failure`: the projection stopped there.
 */
export type ProjectionRow = Build &
  Readonly<{ oldUntil?: number; kept?: readonly Build[]; failure: Readonly<{ position: string }> | null }>;

/** Builds that have reached the position, even if their own rows say otherwise. */
export type FrontRow = Readonly<{ position: number; builds: readonly number[] }>;

/** A build of a projection in the history. `build`: identifies its documents. */
export type EarlierBuild = Readonly<{ build: number; version: number; from: Position; checkpoint: Position }>;

/** Builds described by these rows, oldest first. */
export const buildsOf = (row: ProjectionRow, front: FrontRow | undefined): readonly EarlierBuild[] => {
  const isAtFront = front && !row.failure && front.position > row.position && front.builds.includes(row.build);
  const position = isAtFront ? front.position : row.position;
  const isComplete = position >= (row.oldUntil ?? 0);
  const kept = (row.kept ?? []).filter(({ from }) => !isComplete || from < row.from).map(described);
  const { failure } = row;
  if (!isComplete && !failure) return kept;
  return [...kept, described({ ...row, position: failure ? Number(failure.position) - 1 : position })];
};

const described = ({ build, version, from, position }: Build): EarlierBuild => ({
  build,
  version,
  from: BigInt(from),
  checkpoint: BigInt(position),
});
