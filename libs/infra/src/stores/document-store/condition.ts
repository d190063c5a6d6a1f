import { codeOf } from '#infra/platform/program/system-error.js';
import { NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { Build } from './build.js';
import { type DocumentIndex, IndexDamaged } from './document-index.js';
import { Damaged } from './record.js';

/** Damage found while running. `projection`: only its documents; `undefined`: everything. */
export type ReadModelDamage = Readonly<{ projection: string | undefined; error: unknown }>;

/** Error codes of LMDB for a damaged file, where it does not end the process: corrupted, page not found, not a database. */
const DAMAGE_CODES: readonly unknown[] = [-30796, -30797, -30793];

const isDamagedIndex = (error: unknown): boolean => error instanceof IndexDamaged || DAMAGE_CODES.includes(codeOf(error));

const unavailable = (cause: unknown): ReadStoreUnavailable =>
  cause instanceof ReadStoreUnavailable ? cause : new ReadStoreUnavailable('the embedded read models cannot be used', { cause });

/** Keeps track of damage, so that nothing damaged is read until it has been built again. */
export class Condition {
  /** Projections by the number of the damaged file. */
  private readonly files = new Map<number, string>();
  private broken: unknown;

  constructor(
    private readonly index: DocumentIndex,
    /** Called once for each damage. */
    private readonly found: (damage: ReadModelDamage) => void,
  ) {}

  /** Projections whose documents are damaged. @param isUsed whether a file belongs to a build that was not replaced */
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

  /** Nothing is read or written any more. */
  end(): void {
    this.broken = new ReadStoreUnavailable('the read store is closed');
  }

  isDamaged({ file }: Build): boolean {
    return this.hasDamage && this.files.has(file.number);
  }

  /** The same for the documents of a build. @throws ReadStoreUnavailable */
  checkBuild(build: Build): void {
    if (this.isDamaged(build))
      throw new ReadStoreUnavailable(`the documents of ${build.namespace.projection} are damaged and are being built anew`);
  }

  /** Converts an error of a read or write, and takes note of damage. */
  explain(error: unknown, build?: Build): ReadStoreUnavailable {
    if (isDamagedIndex(error)) {
      const isFirst = this.broken === undefined;
      this.broken ??= error;
      if (isFirst) this.report(undefined, error);
    } else if (isDamage(error) && build) this.note(build, error);
    return unavailable(error);
  }

  /** Runs a read, of the documents of the build that it has found by then. @throws ReadStoreUnavailable, NamespaceGone */
  reading<Found>(read: () => Found, build: () => Build | undefined = () => undefined): Found {
    this.check();
    try {
      return read();
    } catch (error) {
      throw error instanceof NamespaceGone ? error : this.explain(error, build());
    }
  }

  /** Runs a change of the builds. Errors of the port are thrown as they are. */
  async changing<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change();
    } catch (error) {
      throw codeOf(error) === undefined ? error : this.explain(error);
    }
  }

  /** The documents of the build are not read any more. */
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

/** A delta that does not fit its text is a RangeError. */
const isDamage = (error: unknown): boolean => error instanceof Damaged || error instanceof RangeError;
