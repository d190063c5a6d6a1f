import { codeOf } from '#infra/platform/program/system-error.js';
import { NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { Build } from '../build.js';
import { type DocumentIndex, IndexDamaged } from '../document-index.js';
import { Damaged } from '../texts/record.js';

/** Damage found at run time. `projection`: only its documents are damaged; `undefined`: everything is. */
export type ReadModelDamage = Readonly<{ projection: string | undefined; error: unknown }>;

/** LMDB error codes for a damaged file, in cases where LMDB does not end the process: corrupted, page not found, not a database. */
const DAMAGE_CODES: readonly unknown[] = [-30796, -30797, -30793];

const isDamagedIndex = (error: unknown): boolean => error instanceof IndexDamaged || DAMAGE_CODES.includes(codeOf(error));

const unavailable = (cause: unknown): ReadStoreUnavailable =>
  cause instanceof ReadStoreUnavailable ? cause : new ReadStoreUnavailable('the embedded read models cannot be used', { cause });

/** Tracks damage, so that damaged documents are not read until they have been rebuilt. */
export class Condition {
  /** Projections by number of the damaged file. */
  private readonly files = new Map<number, string>();
  private broken: unknown;

  constructor(
    private readonly index: DocumentIndex,
    /** Called once per damage. */
    private readonly found: (damage: ReadModelDamage) => void,
  ) {}

  /** Projections with damaged documents. @param isUsed returns whether a file belongs to a build that was not replaced */
  damaged(isUsed: (file: number) => boolean): readonly string[] {
    for (const file of this.files.keys()) if (!isUsed(file)) this.files.delete(file);
    return [...new Set(this.files.values())];
  }

  /** @throws ReadStoreUnavailable */
  check(): void {
    if (this.broken !== undefined) throw unavailable(this.broken);
  }

  get hasDamage(): boolean {
    return this.files.size > 0;
  }

  /** Ends all reads and writes. */
  end(): void {
    this.broken = new ReadStoreUnavailable('the read store is closed');
  }

  isDamaged({ file }: Build): boolean {
    return this.hasDamage && this.files.has(file.number);
  }

  /** Like `check`, for the documents of a build. @throws ReadStoreUnavailable */
  checkBuild(build: Build): void {
    if (this.isDamaged(build))
      throw new ReadStoreUnavailable(`the documents of ${build.namespace.projection} are damaged and are being built anew`);
  }

  /** Converts an error of a read or write, and records damage. */
  explain(error: unknown, build?: Build): ReadStoreUnavailable {
    if (isDamagedIndex(error)) {
      const isFirst = this.broken === undefined;
      this.broken ??= error;
      if (isFirst) this.report(undefined, error);
    } else if (isDamage(error) && build) this.note(build, error);
    return unavailable(error);
  }

  /** Runs a read. `build` returns the build that the read has found so far. @throws ReadStoreUnavailable, NamespaceGone */
  reading<Found>(read: () => Found, build: () => Build | undefined = () => undefined): Found {
    this.check();
    try {
      return read();
    } catch (error) {
      throw error instanceof NamespaceGone ? error : this.explain(error, build());
    }
  }

  /** Runs a change of the builds. Errors of the port pass through unchanged. */
  async changing<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change();
    } catch (error) {
      throw codeOf(error) === undefined ? error : this.explain(error);
    }
  }

  /** Records damage of a build. Its documents are no longer read. */
  note({ namespace: { projection }, file }: Build, error: unknown): void {
    if (this.files.has(file.number)) return;
    this.files.set(file.number, projection);
    this.report(projection, error);
  }

  private report(projection: string | undefined, error: unknown): void {
    this.index.distrust();
    this.found({ projection, error });
  }
}

/** A RangeError means that a delta does not fit its base. */
const isDamage = (error: unknown): boolean => error instanceof Damaged || error instanceof RangeError;
