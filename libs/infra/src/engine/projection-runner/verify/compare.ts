import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { type Difference, differingMembers } from './differences.js';

/** Size of a page of documents. */
export const PAGE = { limit: 200, maxBytes: 2 ** 20 };

/** Compares UTF-8 bytes, the order of read stores. */
const order = (one: string, other: string): number => (one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** Documents of a range of keys, read a page at a time. */
async function* documentsIn(view: ReadView, collection: string, range: KeyRange): AsyncGenerator<StoredDocument> {
  for (let rest = range; ; ) {
    const page = await view.range(collection, { ...PAGE, ...rest });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    rest = { ...rest, gt: last.key };
  }
}

type CompareOptions = Readonly<{
  collections: Iterable<string>;
  /** Reads the next served documents of a collection, and brings the separate build to the position of which they are. */
  next: (collection: string, after: string | undefined) => Promise<readonly StoredDocument[]>;
  built: ReadView;
  onDifference: (difference: Difference) => void;
  /** Called after every page with the number of documents compared so far. An error thrown here ends the comparison. */
  onPage: (compared: number) => void;
}>;

/** Compares served documents with those of the build in the same range. Returns their number, including documents that one set lacks. */
const comparePage = async (
  collection: string,
  served: readonly StoredDocument[],
  built: AsyncIterable<StoredDocument>,
  onDifference: CompareOptions['onDifference'],
): Promise<number> => {
  let [at, missing] = [0, 0];
  /** Documents before the key, or all that are left, exist only here. */
  const passTo = (key?: string): void => {
    for (let one = served[at]; one && (key === undefined || order(one.key, key) < 0); one = served[++at])
      onDifference({ collection, key: one.key, kind: 'extra', members: [] });
  };
  for await (const { key, value } of built) {
    passTo(key);
    const same = served[at];
    if (same?.key !== key) {
      missing += 1;
      onDifference({ collection, key, kind: 'missing', members: [] });
      continue;
    }
    at += 1;
    const members = differingMembers(same.value, value);
    if (members.length > 0) onDifference({ collection, key, kind: 'different', members });
  }
  passTo();
  return served.length + missing;
};

/** Compares all documents of two sets, with a page of each in memory. Returns their number, including documents that one set lacks. */
export const compareDocuments = async ({ collections, next, built, onDifference, onPage }: CompareOptions): Promise<number> => {
  let compared = 0;
  for (const collection of [...collections].sort()) {
    for (let after: string | undefined, isOver = false; !isOver; ) {
      const served = await next(collection, after);
      const last = served.at(-1)?.key;
      const range = { ...(after !== undefined && { gt: after }), ...(last !== undefined && { lte: last }) };
      compared += await comparePage(collection, served, documentsIn(built, collection, range), onDifference);
      onPage(compared);
      await nextTurn();
      isOver = last === undefined;
      after = last;
    }
  }
  return compared;
};
