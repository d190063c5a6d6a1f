import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { IndexFiles } from '../index-files.js';
import type { Tail } from '../pieces/tail.js';
import { type Term, type TermKind, termIn } from '../terms.js';

/** Assigns numbers to the terms of events added to the tail of an index. */
export class TermNumbers {
  private tail: Tail | undefined;
  /** By kind and text, because most events share terms with earlier ones. */
  private readonly known = new Map<TermKind, Map<string, number>>();
  private added = new Map<Term, number>();
  /** Number of terms in the tail before the added ones. */
  private before = 0;

  constructor(private readonly files: IndexFiles) {}

  /** Must run before the first event of a batch. The numbers of the last batch then belong to the tail. */
  begin(): void {
    const { tail } = this.files;
    if (tail !== this.tail) this.known.clear();
    this.tail = tail;
    this.before = tail.size;
  }

  of(kind: TermKind, text: string): number {
    const known = getOrInsert(this.known, kind, () => new Map());
    return getOrInsert(known, text, () => {
      const term = termIn(this.files.salt, kind, text);
      return this.files.tail.numberOf(term) ?? getOrInsert(this.added, term, () => this.before + this.added.size);
    });
  }

  has(term: Term): boolean {
    return this.added.has(term) || this.files.has(term);
  }

  /** Returns the terms that are not in the tail, in the order of their numbers, and begins a new batch. */
  take(): Iterable<Term> {
    const { added } = this;
    this.added = new Map();
    return added.keys();
  }
}
