/** What is known of the history of a projection. */
export type ProjectionRow = Readonly<{
  /** Of this build of the history: names its collections in the store. */
  build: number;
  version: number;
  /** Everything up to here is in it. */
  position: number;
  /** The positions before it cannot be shown: what they need had left the log when this was built. */
  from: number;
  /**
   * Events up to here were in the log when this build was begun: before it has come there, `from` is not final. Only where events of the projection
   * leave the log.
   */
  oldUntil?: number;
  /** Oldest first. */
  kept?: readonly KeptBuild[];
  /** Documents and their earlier versions. */
  documents: number;
  /** It does not go on. */
  failure: Readonly<{ position: string; eventId: string; type: string; message: string }> | null;
  /** It has partitions that are set aside, or had some. */
  setAside: boolean;
}>;

/**
 * What an earlier version of a projection has recorded of positions `from` to `position`. Kept where the projection reads events that leave the log, so
 * that it cannot be recorded anew.
 */
export type KeptBuild = Pick<ProjectionRow, 'build' | 'version' | 'position' | 'from' | 'setAside'>;

/** Whether it is known what the log no longer has of the events before the recording began: until then `from` may rise. */
export const isComplete = ({ position, oldUntil = 0 }: ProjectionRow): boolean => position >= oldUntil;

/** What shows a position; undefined: nothing does, or not yet. */
export const buildAt = (row: ProjectionRow, position: number): ProjectionRow | KeptBuild | undefined => {
  if (position >= row.from && (isComplete(row) || row.failure)) return row;
  return row.kept?.findLast((one) => one.from <= position && position <= one.position);
};

/** What is to be kept when a projection is recorded anew by a version that reads documents of `readsFrom` and later. */
export const keptOf = (row: ProjectionRow, readsFrom: number): readonly KeptBuild[] => {
  const { build, version, position, from, setAside } = row;
  const all = isComplete(row) ? [...neededOf(row), { build, version, position, from, setAside }] : (row.kept ?? []);
  return all.filter((one) => one.version >= readsFrom);
};

/** Kept builds that show what the row itself does not. */
export const neededOf = (row: ProjectionRow): readonly KeptBuild[] =>
  (row.kept ?? []).filter(({ from }) => !isComplete(row) || from < row.from);

/** The first of the positions that are shown without a gap up to the newest one. */
export const firstShown = ({ from, kept = [] }: ProjectionRow): number =>
  kept.reduceRight((first, one) => (one.position >= first - 1 ? Math.min(first, one.from) : first), from);
