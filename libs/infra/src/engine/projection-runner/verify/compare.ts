import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { type Difference, differingMembers } from './differences.js';

const PAGE = { limit: 200, maxBytes: 2 ** 20 };

/** Iterates over the documents of a collection, a page at a time. */
class Cursor {
  private page: readonly StoredDocument[] = [];
  private at = 0;
  private last: string | undefined;
  private isOver = false;

  constructor(
    private readonly view: ReadView,
    private readonly collection: string,
  ) {}

  /** The current document. */
  get current(): StoredDocument | undefined {
    return this.page[this.at];
  }

  /** Returns whether the next document is known, or that there is none. */
  get isReady(): boolean {
    return this.isOver || this.current !== undefined;
  }

  /** Reads the next page when the current one is used up. */
  async fill(): Promise<void> {
    if (this.current || this.isOver) return;
    this.page = await this.view.range(this.collection, this.last === undefined ? PAGE : { ...PAGE, gt: this.last });
    this.at = 0;
    this.last = this.page.at(-1)?.key;
    this.isOver = this.page.length === 0;
  }

  next(): void {
    this.at++;
  }
}

/** Compares UTF-8 bytes, the order of read stores. */
const order = (one: string, other: string): number => (one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** Compares the documents at two cursors, and advances them. `undefined` if they are equal. */
const step = (collection: string, served: Cursor, built: Cursor): Difference | undefined => {
  const [mine, theirs] = [served.current, built.current];
  const compared = mine && theirs ? order(mine.key, theirs.key) : mine ? -1 : 1;
  if (compared <= 0) served.next();
  if (compared >= 0) built.next();
  if (compared < 0) return { collection, key: mine?.key ?? '', kind: 'extra', members: [] };
  if (compared > 0 || !mine || !theirs) return { collection, key: theirs?.key ?? '', kind: 'missing', members: [] };
  const members = differingMembers(mine.value, theirs.value);
  return members.length === 0 ? undefined : { collection, key: mine.key, kind: 'different', members };
};

type CompareOptions = Readonly<{
  collections: Iterable<string>;
  served: ReadView;
  built: ReadView;
  onDifference: (difference: Difference) => void;
  /** Called after every page with the number of documents compared so far. An error thrown here ends the comparison. */
  onPage: (compared: number) => Promise<void>;
}>;

/** Compares up to the end of the shorter page. Returns the number of documents. */
const comparePages = (collection: string, served: Cursor, built: Cursor, onDifference: CompareOptions['onDifference']): number => {
  let compared = 0;
  while (served.isReady && built.isReady && (served.current || built.current)) {
    compared++;
    const difference = step(collection, served, built);
    if (difference) onDifference(difference);
  }
  return compared;
};

/** Compares all documents of two sets, with a page of each in memory. Returns their number, including documents that one set lacks. */
export const compareDocuments = async ({ collections, served, built, onDifference, onPage }: CompareOptions): Promise<number> => {
  let compared = 0;
  for (const collection of [...collections].sort()) {
    const [one, other] = [new Cursor(served, collection), new Cursor(built, collection)];
    for (await fillBoth(one, other); one.current || other.current; await fillBoth(one, other)) {
      compared += comparePages(collection, one, other, onDifference);
      await onPage(compared);
      await nextTurn();
    }
  }
  return compared;
};

const fillBoth = (one: Cursor, other: Cursor): Promise<unknown> => Promise.all([one.fill(), other.fill()]);
