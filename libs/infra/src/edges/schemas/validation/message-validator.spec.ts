import { afterAll, describe, expect, it } from '@jest/globals';
import { builtModule } from '#test/support/processes/built.js';
import { MessageValidator } from './message-validator.js';
import { ValidationPool } from './validation-pool.js';

const pools: ValidationPool[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

/** A validator whose slices end at once, with counts of its yields and thread tasks. */
const counted = () => {
  const pool = new ValidationPool({ entry: builtModule('libs/infra/src/edges/schemas/validation/validation-worker'), workers: 1 });
  pools.push(pool);
  let yields = 0;
  const slice = {
    isOver: true,
    next: async () => {
      yields++;
    },
  };
  const validator = new MessageValidator(pool, () => slice);
  return { validator, counts: () => ({ yields, tasks: pool.tasks }) };
};

const stored = (document: object): string => JSON.stringify({ type: 'json', document });
const messagesOf = (...values: readonly unknown[]): readonly string[] =>
  values.map((value) => Buffer.from(JSON.stringify(value)).toString('base64'));

/** A schema that makes any message long work, however short it is. */
const DOUBLING = (() => {
  const definitions: Record<string, object> = { a0: { type: 'string' } };
  for (let level = 1; level <= 18; level++) {
    const $ref = `#/definitions/a${level - 1}`;
    definitions[`a${level}`] = { anyOf: [{ $ref }, { $ref }] };
  }
  return { definitions, not: { $ref: '#/definitions/a18' } };
})();
const LARGE = { type: 'string', description: 'x'.repeat(20_000) };

describe('the validator of messages', () => {
  it('validates short messages at once, in slices of time', async () => {
    const { validator, counts } = counted();
    expect(await validator.refusal('a', stored({ type: 'string' }), messagesOf('x', 'y', 'z'))).toBeUndefined();
    expect(counts()).toEqual({ yields: 3, tasks: 0 });
  });

  it('sends long messages to threads, and finds the first invalid one', async () => {
    const { validator, counts } = counted();
    const long = 'x'.repeat(100_000);
    const refusal = await validator.refusal(
      'a',
      stored({ type: 'string', pattern: '^x' }),
      messagesOf('x', long, long, 'x', `y${long}`, 'y'),
    );
    expect(refusal).toEqual({ index: 4, fault: { kind: 'violations', violations: ["(root): Does not match pattern '^x'"] } });
    expect(counts().tasks).toBe(2);
  });

  it('sends short messages to threads if their schema makes long work of them', async () => {
    const { validator, counts } = counted();
    const refusal = await validator.refusal('a', stored(DOUBLING), messagesOf(...Array(10).fill(5)));
    expect(refusal).toEqual({ index: 2, fault: { kind: 'exhausted', of: 'json' } });
    expect(counts().tasks).toBe(1);
  });

  it('sends large schemas to threads', async () => {
    const { validator, counts } = counted();
    expect(await validator.refusal('a', stored(LARGE), messagesOf('x', 5))).toMatchObject({ index: 1 });
    await validator.requireCompilable('a', { type: 'json', document: LARGE }, 20_100);
    await expect(validator.requireCompilable('a', { type: 'avro', document: LARGE }, 20_100).then(() => 'compiled')).resolves.toBe(
      'compiled',
    );
    await expect(validator.requireCompilable('a', { type: 'avro', document: { ...LARGE, type: 'text' } }, 20_100)).rejects.toThrow(
      'unknown type name: "text"',
    );
    expect(counts().tasks).toBe(4);
  });

  it('reports data that are not base64, on the event loop and on threads', async () => {
    const { validator } = counted();
    expect(await validator.refusal('a', stored({}), [...messagesOf(1), 'a'])).toEqual({
      index: 1,
      fault: { kind: 'not-base64', place: 0 },
    });
    const long = `${'a'.repeat(100_000)}!`;
    expect(await validator.refusal('a', stored({}), [long])).toEqual({ index: 0, fault: { kind: 'not-base64', place: 100_000 } });
  });

  it('judges by a stored schema that may not be created any more', async () => {
    const { validator } = counted();
    const document = { enum: ['a', 'a'] };
    await expect(validator.requireCompilable('a', { type: 'json', document }, 20)).rejects.toThrow('enum items must be unique');
    await expect(validator.requireCompilable('a', { type: 'json', document }, 20_100)).rejects.toThrow('enum items must be unique');
    expect(await validator.refusal('a', stored(document), messagesOf('a'))).toBeUndefined();
    expect(await validator.refusal('a', stored(document), messagesOf('b'))).toMatchObject({ index: 0, fault: { kind: 'violations' } });
  });

  it('reports a stored schema that does not compile', async () => {
    expect(await counted().validator.refusal('a', stored({ type: 'text' }), messagesOf(1))).toBe('no-schema');
  });
});
