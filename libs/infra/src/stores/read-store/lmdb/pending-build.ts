import type { Position } from '#domain/shared/events.js';
import { CheckpointConflict, MarksConflict, type Namespace } from '#projections/shared/read-store.js';
import type { Slot } from './databases.js';
import { Layer, type LayeredChange } from './layer.js';
import type { Build } from './namespaces.js';

/** What a commit asks of the build, and makes of it; without `origin` or `marks` they stay. */
export type Move = Readonly<{ from: Position; to: Position; origin: string | undefined }>;

/** What keeps a commit from being applied to the build. */
export const refusalOf = (
  { projection }: Namespace,
  build: Build,
  move: Move | undefined,
  marks: string | undefined,
): CheckpointConflict | MarksConflict | undefined => {
  if (move && build.checkpoint !== move.from) return new CheckpointConflict(projection, move.from, build.checkpoint);
  if (marks !== undefined && build.marks !== marks) return new MarksConflict(projection, marks, build.marks);
  return undefined;
};

export const moved = (build: Build, { to, origin }: Move): Build => ({
  ...build,
  checkpoint: to,
  origin: origin ?? build.origin,
  commits: build.commits + 1,
});

/** Whether nobody has committed in between: marks and keeper are changed also by those who do not. */
const isSame = (one: Build, other: Build): boolean =>
  one.generation === other.generation &&
  one.version === other.version &&
  one.checkpoint === other.checkpoint &&
  one.origin === other.origin &&
  one.commits === other.commits;

/**
 * Commits to one build that are not on disk yet. They follow from the state that it had there when they began, or that was written since; once another
 * process has made it another one, they count for nothing.
 */
export class PendingBuild {
  readonly layer = new Layer();
  /** States that may be on disk: more than one while a write is under way, or after one of which it is not known whether it succeeded. */
  private bases: readonly Build[];
  /** The record on disk that was last found to be one of them. */
  private record: string | undefined;
  /** What is decided on disk. */
  private stored: Pick<Build, 'marks' | 'keeper'>;
  private newest: Build;

  constructor(
    readonly projection: string,
    readonly slot: Slot,
    base: Build,
  ) {
    this.bases = [base];
    this.newest = base;
    this.stored = base;
  }

  /** The build with all commits, and the marks and the keeper on disk. */
  get build(): Build {
    const { newest } = this;
    const { marks, keeper } = this.stored;
    return newest.marks === marks && newest.keeper === keeper ? newest : { ...newest, marks, keeper };
  }

  /** Whether the commits follow from what is on disk. @param parse reads the record */
  follows(record: string | undefined, parse: () => Build | undefined): boolean {
    if (record !== undefined && record === this.record) return true;
    const stored = parse();
    if (!stored || !this.bases.some((base) => isSame(base, stored))) return false;
    this.record = record;
    this.stored = stored;
    return true;
  }

  /** Adds a commit whose changes are in the layer. */
  move(move: Move): void {
    this.newest = moved(this.build, move);
  }

  /** Returns the newest state, which is going to be written. */
  attempt(): Build {
    const { build } = this;
    this.newest = build;
    this.bases = [...this.bases, build];
    return build;
  }

  /** A state is on disk, with these changes. */
  written(build: Build, changes: readonly LayeredChange[]): void {
    this.bases = [build];
    this.layer.forget(changes);
  }

  get isWritten(): boolean {
    return this.bases.length === 1 && this.bases[0] === this.newest;
  }
}
