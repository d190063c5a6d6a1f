import fc from 'fast-check';
import type { Change, Namespace } from '#projections/shared/read-store.js';
import { ModelCollection } from '#test/contracts/read-store/model.js';
import { PAST, PLAIN } from './churn.js';

export const COLLECTIONS = ['a', 'ab'] as const;
export const KEYS = ['a', 'ab', 'a/b', 'b/€', 'b/😀', 'c'];

export type Projection = typeof PAST | typeof PLAIN;
/** What becomes of a document at one position, or of all whose keys begin with it. `text`: number of the text. */
type Edit = Readonly<{ collection: string; key: string; kind: 'put' | 'append' | 'delete' | 'delete-prefix'; text: number }>;

export type Step =
  /** One list of edits for each position. */
  | Readonly<{ kind: 'commit'; projection: Projection; isBuilding: boolean; edits: readonly (readonly Edit[])[]; soon: boolean }>
  /** A build that shows positions from a part (of four) of the served ones on. */
  | Readonly<{ kind: 'begin'; projection: Projection; from: number }>
  | Readonly<{ kind: 'serve'; projection: Projection }>
  /** So many texts of one key that a file without a past is written anew. */
  | Readonly<{ kind: 'churn' }>
  | Readonly<{ kind: 'flush' | 'index' | 'close' | 'kill' }>;

const edit: fc.Arbitrary<Edit> = fc.record({
  collection: fc.constantFrom(...COLLECTIONS),
  key: fc.constantFrom(...KEYS),
  kind: fc.constantFrom('put', 'put', 'put', 'append', 'append', 'append', 'append', 'delete', 'delete-prefix'),
  text: fc.nat(5),
});
const projection: fc.Arbitrary<Projection> = fc.constantFrom(PAST, PAST, PAST, PLAIN);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      projection,
      isBuilding: fc.boolean(),
      edits: fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      soon: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const), projection, from: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('serve' as const), projection }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('churn' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('flush' as const, 'index' as const, 'index' as const, 'close' as const, 'kill' as const, 'kill' as const),
    }),
  },
);

const served = (projection: Projection): readonly Step[] => [
  { kind: 'begin', projection, from: 0 },
  { kind: 'serve', projection },
];

/** Begins with a served build of both projections. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 5, maxLength: 40, size: 'max' })
  .map((given) => [...([PAST, PLAIN] as const).flatMap(served), ...given]);

/** Texts of one number differ from position to position, those of some numbers little. */
export const textOf = (number: number, position: number): string => {
  const items = Array.from({ length: [0, 1, 20, 60, 60, 60][number] ?? 0 }, (_, index) => ({ name: `item ${index}`, number }));
  return JSON.stringify({ position, items });
};

export type Documents = Readonly<Record<string, ModelCollection>>;

export const EMPTY: Documents = Object.fromEntries(COLLECTIONS.map((name) => [name, new ModelCollection()]));

const afterChanges = (documents: Documents, changes: readonly Change[]): Documents =>
  Object.fromEntries(
    COLLECTIONS.map((name) => {
      const collection = new ModelCollection();
      const before = (documents[name] ?? new ModelCollection()).range({});
      for (const [key, value] of before) collection.apply({ kind: 'put', collection: name, key, value });
      for (const change of changes) if (change.collection === name) collection.apply(change);
      return [name, collection];
    }),
  );

/** The documents of a build after each of its positions. */
export class Model {
  private states: readonly (readonly [position: number, documents: Documents])[] = [[0, EMPTY]];
  /** Position of the last commit that must stay, whatever happens. */
  durable = 0;

  constructor(
    readonly namespace: Namespace,
    readonly from = 0,
  ) {}

  get checkpoint(): number {
    return this.states.at(-1)?.[0] ?? 0;
  }

  get newest(): Documents {
    return this.at(this.checkpoint);
  }

  at(position: number): Documents {
    return this.states.findLast(([one]) => one <= position)?.[1] ?? EMPTY;
  }

  add(position: number, changes: readonly Change[]): void {
    this.states = [...this.states, [position, afterChanges(this.newest, changes)]];
  }

  /** Commits after the checkpoint were lost. */
  loseAfter(checkpoint: number): void {
    this.states = this.states.filter(([position]) => position <= checkpoint);
  }
}
