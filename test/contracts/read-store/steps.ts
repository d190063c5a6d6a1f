import fc from 'fast-check';
import type { Change } from '#projections/shared/read-store.js';
import { append, COLLECTION, put, remove, removePrefix } from './fixture.js';
import { rangesOver } from './ranges.js';

/** Collections of which one name begins with the other's. */
export const COLLECTIONS = [COLLECTION, `${COLLECTION}2`, 'é'] as const;

/** `served`, `building`: the build that is. `gone`: one that a newer one has replaced. */
type Which = 'served' | 'building' | 'gone';

/** What is tried. Where there is no such build, nothing is. */
export type Step =
  | Readonly<{
      kind: 'commit';
      soon: boolean;
      build: Which;
      changes: readonly Change[];
      /** How far the checkpoint moves. */
      by: bigint;
      isFromRight: boolean;
      /** Of a commit that is not soon. */
      token: string | undefined;
      origin: string | undefined;
    }>
  | Readonly<{ kind: 'prepare'; version: number }>
  | Readonly<{ kind: 'serve'; build: Which; isCaughtUp: boolean; instead: Which | undefined }>
  | Readonly<{ kind: 'flush' }>
  | Readonly<{ kind: 'reopen' }>;

// Few characters, so that keys collide, nest and neighbour: controls, separators, both sides of the surrogates, halves of pairs, special ones of patterns.
const CHARACTERS = [
  'a',
  'b',
  '/',
  '\u0000',
  '\u0001',
  '\n',
  '*',
  '[',
  '(',
  '+',
  '-',
  'é',
  '\ud7ff',
  '\uffff',
  '\ue000',
  '😀',
  '\u{10ffff}',
];
const part = fc.constantFrom(...CHARACTERS, 'ab', 'a/', '\ud83d', '\ude00');
const text = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
/** As long as keys may be, and what differs at their end only. */
const longest = fc.constantFrom('k'.repeat(1_500), 'k'.repeat(1_499), `${'k'.repeat(1_499)}a`, '日'.repeat(500), `${'日'.repeat(499)}a`);
const key = fc.oneof({ weight: 9, arbitrary: fc.tuple(part, text).map((parts) => parts.join('')) }, { weight: 1, arbitrary: longest });
const bound = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: longest },
  { weight: 1, arbitrary: longest.map((one) => `${one}kk`) },
);

const collection = fc.constantFrom(...COLLECTIONS);
const value = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 5, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40_000 }).map((length) => 'é'.repeat(length)) },
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, fc.oneof(value, fc.constant(Buffer.alloc(0))), collection).map((parts) => put(...parts)) },
  { weight: 4, arbitrary: fc.tuple(key, value, collection).map((parts) => append(...parts)) },
  { weight: 2, arbitrary: fc.tuple(key, collection).map((parts) => remove(...parts)) },
  { weight: 1, arbitrary: fc.tuple(text, collection).map((parts) => removePrefix(...parts)) },
);
const changes = fc.array(change, { maxLength: 8 });

/** Most of the time what succeeds. */
const right = fc.integer({ min: 0, max: 9 }).map((number) => number > 0);
const which = fc.constantFrom<Which>('served', 'served', 'served', 'building', 'building', 'building', 'gone');
const tokens = fc.constantFrom(undefined, undefined, '', 'one', 'two', 'é'.repeat(100));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      soon: fc.boolean(),
      build: which,
      changes,
      by: fc.integer({ min: -1, max: 4 }).map(BigInt),
      isFromRight: right,
      token: tokens,
      origin: fc.option(fc.constantFrom('here', '{"é":1}'), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('prepare' as const), version: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('serve' as const),
      build: fc.constantFrom<Which>('building', 'building', 'building', 'served', 'gone'),
      isCaughtUp: fc.boolean(),
      instead: fc.constantFrom<Which | undefined>(undefined, 'served', 'gone'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

/** A sequence begins with a build that is served, most of the time. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(right, fc.array(step, { minLength: 1, maxLength: 30 }))
  .map(([isServed, given]) => [
    ...(isServed
      ? [
          { kind: 'prepare' as const, version: 1 },
          { kind: 'serve' as const, build: 'building' as const, isCaughtUp: false, instead: undefined },
        ]
      : []),
    { kind: 'prepare' as const, version: 2 },
    ...given,
  ]);

export const ranges = rangesOver(bound, { offset: 8, limit: 4, bytes: 30 }, { minLength: 6, maxLength: 12 });
