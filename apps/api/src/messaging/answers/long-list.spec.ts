import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { Answer } from '#api/shared/http/answer.js';
import { j3 } from '#projections/messaging/layout.js';
import type { ListPart, Page } from '#projections/messaging/newest-first.js';
import { listAnswer, viewsOf, wholeListAnswer } from './long-list.js';
import { inParts, tokenOf } from './pagination.js';

/** A list of `count` items, newest first, ordered by number, and the pages that were requested. */
const listOf = (count: number) => {
  const asked: Page[] = [];
  const orderOf = (place: number): string => (count - place).toString(16).padStart(24, '0');
  const read = async (page: Page): Promise<ListPart<number>> => {
    asked.push(page);
    const start = page.first === undefined ? 0 : count - Number.parseInt(page.first, 16);
    const end = page.size > 0 ? Math.min(count, start + page.size) : count;
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    return {
      items,
      ...(end < count ? { next: orderOf(end) } : {}),
      totalSize: page.counted === false ? 0 : count,
    };
  };
  return { asked, read };
};

/** The body as the client receives it. */
const bodyOf = async (answer: () => Promise<Answer> | Answer): Promise<string> => {
  const server = fastify();
  server.get('/', async (_request, reply) => (await answer()).send(reply));
  return (await server.inject('/')).payload;
};
const sent = (parts: AsyncGenerator<ListPart<number>>, view: Parameters<typeof listAnswer<number>>[2]): Promise<string> =>
  bodyOf(() => listAnswer('things', parts, view));

const objects = async (items: readonly number[]) => items.map((item) => ({ item, tags: ['<a>', ']'] }));

describe('a long list', () => {
  it.each([
    [0, {}],
    [1, {}],
    [250, {}],
    [251, {}],
    [1_000, {}],
    [1_000, { size: 10 }],
    [1_000, { size: 250 }],
    [1_000, { size: 600 }],
    [1_000, { size: 2_000 }],
  ])('of %d has the same bytes as one that is made at once: %j', async (count, options) => {
    const page = { size: 0, ...options };
    const { items, totalSize, ...rest } = await listOf(count).read(page);
    const body = await sent(inParts(listOf(count).read, page), objects);
    expect(body).toBe(j3({ things: await objects(items), nextPageToken: tokenOf(rest), totalSize }));
  });

  it('is looked up part by part, and counted once', async () => {
    const { asked, read } = listOf(600);
    for await (const _part of inParts(read, { size: 0 }));
    expect(asked.map(({ size, counted }) => [size, counted])).toEqual([
      [250, undefined],
      [250, false],
      [250, false],
    ]);
  });

  it('may have parts without an item', async () => {
    const drop = async (items: readonly number[]) => (items[0] === 250 ? [] : objects(items));
    const [before, after] = [await objects(Array.from({ length: 250 }, (_, index) => index)), await objects([500])];
    const body = await sent(inParts(listOf(501).read, { size: 0 }), drop);
    expect(body).toBe(j3({ things: [...before, ...after], nextPageToken: '', totalSize: 501 }));
  });
});

it.each([0, 1, 250, 600])(
  'a list of %d known items has the same bytes as one that is made at once, and is made in parts',
  async (count) => {
    const items = Array.from({ length: count }, (_, index) => index);
    const sizes: number[] = [];
    const views = viewsOf(items, (some) => {
      sizes.push(some.length);
      return objects(some);
    });
    expect(await bodyOf(() => wholeListAnswer('things', views))).toBe(j3({ things: await objects(items) }));
    expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(250);
  },
);
