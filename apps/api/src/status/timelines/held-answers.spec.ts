import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { StatusError } from '#api/status/errors.js';
import type { BranchBody } from './branches.js';
import { Collected } from './collected.js';
import { HeldAnswers } from './held-answers.js';

const MIB = 1024 * 1024;

/** Longer than what is sent at once. */
const long = (): BranchBody => ({
  branches: {
    name: 'groups',
    items: Array.from({ length: 30 }, () => ({ tag: 'group', attributes: {}, members: { name: 'x'.repeat(100_000) } })),
  },
});

const held = (answers: HeldAnswers, tenant: string, bytes: number) =>
  answers.answer(tenant, 'json', async (memory) => {
    if (!memory.grow(bytes)) throw new Error('no room');
    return long();
  });

describe('answers that are collected before they are sent', () => {
  it('hold their memory until they are taken', async () => {
    const answers = new HeldAnswers();
    const body = (await held(answers, 'a', MIB)).body as Readable;
    expect(answers.inUse).toBeGreaterThan(MIB);
    for await (const _chunk of body);
    expect(answers.inUse).toBe(0);
  });

  it('give it back when their callers are gone, before or while they are taken', async () => {
    const answers = new HeldAnswers();
    const [unread, begun] = await Promise.all(['a', 'b'].map(async (tenant) => (await held(answers, tenant, MIB)).body as Readable));
    await once(begun as Readable, 'readable');
    for (const body of [unread, begun]) {
      body?.destroy();
      await once(body as Readable, 'close');
    }
    await new Promise(setImmediate);
    expect(answers.inUse).toBe(0);
  });

  it('give it back when they fail, and when they are short', async () => {
    const answers = new HeldAnswers();
    const failed = answers.answer('a', 'xml', async (memory) => {
      memory.grow(MIB);
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    await answers.answer('a', 'json', async () => ({ branches: { name: 'groups', items: [] } }));
    expect(answers.inUse).toBe(0);
  });

  it('of one tenant leave room for those of others', async () => {
    const answers = new HeldAnswers();
    await held(answers, 'a', 40 * MIB);
    await expect(held(answers, 'a', 40 * MIB)).rejects.toThrow('no room');
    await expect(held(answers, 'b', 40 * MIB)).resolves.toBeDefined();
    await held(answers, 'c', 100 * MIB); // the only one of its tenant
  });

  it('are refused for now where there is no room', async () => {
    const days = async function* () {
      yield { day: '2026-05-01' };
    };
    const rows = () => Array.from({ length: 1_000 }, (_, n) => ({ path: [`${n}`], addTo: () => {} }));
    const collected = new Collected({ grow: () => false });
    await expect(collected.take(days(), rows)).rejects.toThrow(StatusError);
    await expect(collected.take(days(), rows)).rejects.toMatchObject({ statusCode: 503 });
  });
});
