import type { Change, KeyRange } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';

export const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Key and text of each document, in the order of a range. */
export type Documents = readonly (readonly [key: string, text: string])[];

/** Key → text. Keys are stored as UTF-8, which has no halves of surrogate pairs: such a key reads as U+FFFD. */
export class ModelCollection {
  private readonly texts = new Map<string, string>();

  get size(): number {
    return this.texts.size;
  }

  get keys(): readonly string[] {
    return [...this.texts.keys()].sort(byBytes);
  }

  get(key: string): string | null {
    return this.texts.get(key.toWellFormed()) ?? null;
  }

  apply(change: Change): void {
    if (change.kind === 'delete-prefix') applyChange(this.texts, { ...change, prefix: change.prefix.toWellFormed() });
    else if (change.kind === 'put') this.texts.set(change.key.toWellFormed(), String(change.value));
    else applyChange(this.texts, { ...change, key: change.key.toWellFormed() });
  }

  within({ gte, gt, lte, lt }: KeyRange): readonly string[] {
    return this.keys.filter(
      (key) =>
        (gte === undefined || byBytes(key, gte) >= 0) &&
        (gt === undefined || byBytes(key, gt) > 0) &&
        (lte === undefined || byBytes(key, lte) <= 0) &&
        (lt === undefined || byBytes(key, lt) < 0),
    );
  }

  range(range: KeyRange): Documents {
    const keys = range.reverse ? this.within(range).toReversed() : this.within(range);
    const { offset = 0, limit = keys.length, maxBytes = Number.POSITIVE_INFINITY } = range;
    const found = keys.slice(offset, offset + limit).map((key) => [key, this.texts.get(key) ?? ''] as const);
    let bytes = 0;
    const last = found.findIndex(([, text]) => {
      bytes += Buffer.byteLength(text);
      return bytes >= maxBytes;
    });
    return last < 0 ? found : found.slice(0, last + 1);
  }
}

/** How a commit is refused: the name of the error, and the members that say why. */
export type Refusal = Readonly<{ name: string; expected?: unknown; actual?: unknown }>;

/** One build of a projection. */
export class ModelBuild {
  readonly collections = new Map<string, ModelCollection>();
  checkpoint = 0n;
  origin: string | null = null;
  token = '';
  /** A newer build has taken its place. */
  isGone = false;

  collection(name: string): ModelCollection {
    const found = this.collections.get(name) ?? new ModelCollection();
    this.collections.set(name, found);
    return found;
  }

  get size(): number {
    return [...this.collections.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Why a commit has to be refused. */
  refusal(from: bigint): Refusal | undefined {
    if (this.isGone) return { name: 'NamespaceGone' };
    return from === this.checkpoint ? undefined : { name: 'CheckpointConflict', expected: from, actual: this.checkpoint };
  }

  apply(changes: readonly Change[], to: bigint, origin?: string, token?: string): void {
    for (const change of changes) this.collection(change.collection).apply(change);
    this.checkpoint = to;
    this.origin = origin ?? this.origin;
    this.token = token ?? this.token;
  }
}
