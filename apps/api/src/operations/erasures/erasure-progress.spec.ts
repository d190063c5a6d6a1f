import { expect, it } from '@jest/globals';
import type { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import type { Erasure, SubjectQueries } from '#projections/operations/subjects/queries.js';
import { ErasureProgress } from './erasure-progress.js';

type KeyState = Awaited<ReturnType<ErasedSubjects['state']>>;

const second = (seconds: number): string => new Date(Date.UTC(2024, 0, 1) + seconds * 1000).toISOString();
const erasureOf = (kind: string, subject: string): Erasure => ({
  id: 'e',
  service: 'status',
  kind,
  subject,
  reason: 'r',
  requestedBy: 'o',
  time: second(0),
});

it.each<readonly [string, Readonly<Record<string, KeyState>>, string | null]>([
  ['one of its users still has a key', { 'user-u': { state: 'kept' } }, null],
  ['one of its recomputations still has a key', { 'recomputation-r': { state: 'kept' } }, null],
  ['the last key was destroyed just now', { 'recomputation-r': { state: 'destroyed', at: second(9) } }, null],
  ['two seconds have passed since the last key was destroyed', { 'recomputation-r': { state: 'destroyed', at: second(8) } }, second(10)],
  ['its recomputation never had a key', { 'recomputation-r': { state: 'never' } }, second(3)],
])('the erasure of a tenant is done with its parts: %s', async (_, states, endedAt) => {
  const state = async (subject: string): Promise<KeyState> => states[subject] ?? { state: 'destroyed', at: second(1) };
  const partsOf: SubjectQueries['partsOf'] = async function* () {
    yield [erasureOf('user', 'user-u'), erasureOf('user', 'user-v')];
    yield [erasureOf('recomputation', 'recomputation-r')];
  };
  const progress = new ErasureProgress({ state } as ErasedSubjects, { partsOf } as SubjectQueries, () => Date.parse(second(10)));
  expect(await progress.item(erasureOf('tenant', 'tenant-t'))).toMatchObject({
    state: endedAt ? 'done' : 'running',
    subject: 't',
    endedAt,
    sealed: true,
  });
});
