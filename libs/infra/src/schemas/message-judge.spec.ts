import { afterAll, describe, expect, it } from '@jest/globals';
import { builtModule } from '#test/support/built.js';
import { JudgePool } from './judge-pool.js';
import { MessageJudge } from './message-judge.js';

const pools: JudgePool[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

/** A judge whose slices are over at once, with counts of how often it gave way and asked its threads. */
const counted = () => {
  const pool = new JudgePool({ entry: builtModule('libs/infra/src/schemas/judge-worker'), workers: 1 });
  pools.push(pool);
  let yields = 0;
  const slice = {
    isOver: true,
    next: async () => {
      yields++;
    },
  };
  const judge = new MessageJudge(pool, () => slice);
  return { judge, counts: () => ({ yields, tasks: pool.tasks }) };
};

const stored = (document: object): string => JSON.stringify({ type: 'json', document });
const messagesOf = (...values: readonly unknown[]): readonly string[] =>
  values.map((value) => Buffer.from(JSON.stringify(value)).toString('base64'));

/** Long work for any message, however short. */
const DOUBLING = (() => {
  const definitions: Record<string, object> = { a0: { type: 'string' } };
  for (let level = 1; level <= 18; level++) {
    const $ref = `#/definitions/a${level - 1}`;
    definitions[`a${level}`] = { anyOf: [{ $ref }, { $ref }] };
  }
  return { definitions, not: { $ref: '#/definitions/a18' } };
})();
const LARGE = { type: 'string', description: 'x'.repeat(20_000) };

describe('a judge of messages', () => {
  it('judges short messages at once, giving way between them', async () => {
    const { judge, counts } = counted();
    expect(await judge.refusal('a', stored({ type: 'string' }), messagesOf('x', 'y', 'z'))).toBeUndefined();
    expect(counts()).toEqual({ yields: 3, tasks: 0 });
  });

  it('leaves long messages to its threads, and finds the first that is not in order', async () => {
    const { judge, counts } = counted();
    const long = 'x'.repeat(100_000);
    const refusal = await judge.refusal('a', stored({ type: 'string', pattern: '^x' }), messagesOf('x', long, long, 'x', `y${long}`, 'y'));
    expect(refusal).toEqual({ index: 4, fault: { kind: 'violations', violations: ["(root): Does not match pattern '^x'"] } });
    expect(counts().tasks).toBe(2);
  });

  it('leaves short messages to its threads where their schema makes long work of them', async () => {
    const { judge, counts } = counted();
    const refusal = await judge.refusal('a', stored(DOUBLING), messagesOf(...Array(10).fill(5)));
    expect(refusal).toEqual({ index: 2, fault: { kind: 'exhausted', of: 'json' } });
    expect(counts().tasks).toBe(1);
  });

  it('leaves large schemas to its threads', async () => {
    const { judge, counts } = counted();
    expect(await judge.refusal('a', stored(LARGE), messagesOf('x', 5))).toMatchObject({ index: 1 });
    await judge.requireCompilable('a', { type: 'json', document: LARGE }, 20_100);
    await expect(judge.requireCompilable('a', { type: 'avro', document: LARGE }, 20_100).then(() => 'compiled')).resolves.toBe('compiled');
    await expect(judge.requireCompilable('a', { type: 'avro', document: { ...LARGE, type: 'text' } }, 20_100)).rejects.toThrow(
      'unknown type name: "text"',
    );
    expect(counts().tasks).toBe(4);
  });

  it('tells data that are not base64, wherever they are judged', async () => {
    const { judge } = counted();
    expect(await judge.refusal('a', stored({}), [...messagesOf(1), 'a'])).toEqual({ index: 1, fault: { kind: 'not-base64', place: 0 } });
    const long = `${'a'.repeat(100_000)}!`;
    expect(await judge.refusal('a', stored({}), [long])).toEqual({ index: 0, fault: { kind: 'not-base64', place: 100_000 } });
  });

  it('says that a stored schema does not compile', async () => {
    expect(await counted().judge.refusal('a', stored({ type: 'text' }), messagesOf(1))).toBe('no-schema');
  });
});
