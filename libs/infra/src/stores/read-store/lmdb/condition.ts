import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { DamagedBuildRecords } from './build-records.js';
import type { Slot } from './databases.js';
import { DamagedDocument } from './documents.js';
import { unavailable } from './writer.js';

/** Damage found while running. `projection`: only its documents; `undefined`: the whole file. */
export type ReadModelDamage = Readonly<{ projection: string | undefined; error: unknown }>;

/** Error codes of LMDB for a damaged file, where it does not end the process: corrupted, page not found, not a database. */
const DAMAGE_CODES: readonly unknown[] = [-30796, -30797, -30793];

const isDamagedFile = (error: unknown): boolean =>
  error instanceof DamagedBuildRecords || (error instanceof Error && 'code' in error && DAMAGE_CODES.includes(error.code));

/** Keeps track of damage, so that nothing damaged is read until it has been rebuilt. */
export class Condition {
  /** Generation of the damaged build, by projection and slot. */
  private readonly builds = new Map<string, number | undefined>();
  private file: unknown;

  constructor(
    private readonly generationIn: (projection: string, slot: Slot) => number | undefined,
    /** Called once for each damage. */
    private readonly found: (damage: ReadModelDamage) => void,
  ) {}

  /** True if the whole file is damaged. */
  get isBroken(): boolean {
    return this.file !== undefined;
  }

  /** Projections whose documents are damaged and not yet replaced. */
  get damaged(): readonly string[] {
    return [...this.builds.keys()]
      .map((build) => build.slice(0, -2))
      .filter((name) => this.isDamaged(name, 'a') || this.isDamaged(name, 'b'));
  }

  /** @throws ReadStoreUnavailable */
  check(): void {
    if (this.isBroken) throw unavailable(this.file);
  }

  /** The same for the documents of a build. @throws ReadStoreUnavailable */
  checkBuild(projection: string, slot: Slot): void {
    this.check();
    if (this.builds.size > 0 && this.isDamaged(projection, slot)) {
      throw new ReadStoreUnavailable(`the documents of ${projection} are damaged and are being built anew`);
    }
  }

  /** Converts an error of a read or write, and takes note of damage. */
  explain(error: unknown, build?: Readonly<{ projection: string; slot: Slot }>): ReadStoreUnavailable {
    if (isDamagedFile(error)) {
      const isFirst = !this.isBroken;
      this.file ??= error;
      if (isFirst) this.found({ projection: undefined, error });
    } else if (error instanceof DamagedDocument && build && !this.isDamaged(build.projection, build.slot)) {
      const { projection, slot } = build;
      this.builds.set(`${projection}/${slot}`, this.generationIn(projection, slot));
      this.found({ projection, error });
    }
    return unavailable(error);
  }

  /** Another generation in the slot is another build. */
  private isDamaged(projection: string, slot: Slot): boolean {
    const build = `${projection}/${slot}`;
    if (!this.builds.has(build)) return false;
    if (this.builds.get(build) === this.generationIn(projection, slot)) return true;
    this.builds.delete(build);
    return false;
  }
}
