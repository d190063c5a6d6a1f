import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { IndexFiles } from './index-files.js';
import type { Tail } from './tail.js';
import { type Term, type TermKind, termIn } from './terms.js';

/** Numbers of the terms of events that are added to the tail of an index. */
export class TermNumbers {
  private tail: Tail | undefined;
  /** By kind and text: most events have the same ones as others before them. */
  private readonly known = new Map<TermKind, Map<string, number>>();
  private added = new Map<Term, number>();
  /** Terms of the tail that the added ones come behind. */
  private before = 0;

  constructor(private readonly files: IndexFiles) {}

  /** Before the first event of a batch. The numbers of the last batch are those of the tail now. */
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

  /** Terms that the tail has not, in the order of their numbers; a new batch begins. */
  take(): Iterable<Term> {
    const { added } = this;
    this.added = new Map();
    return added.keys();
  }
}
