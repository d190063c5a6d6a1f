import { describe, expect, it } from '@jest/globals';
import { requestIdOf, requestIds } from './request-id.js';

describe('ids of requests', () => {
  it('are UUIDs, each another', () => {
    const [one, other] = [requestIds(), requestIds()];
    const ids = Array.from({ length: 600 }, () => [one(), other()]).flat();
    expect(new Set(ids).size).toBe(ids.length);
    const inARow = ids.slice(0, 100).filter((_, at) => at % 2 === 0);
    expect(new Set(inARow.map((id) => id.slice(0, 8))).size).toBe(inARow.length);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('are those of callers, as long as they are short and harmless', () => {
    const idOf = (given?: string | string[]): string => requestIdOf({ headers: { 'x-request-id': given as string } }, () => 'new');
    expect(['my:request.1', 'x'.repeat(128)].map(idOf)).toEqual(['my:request.1', 'x'.repeat(128)]);
    expect([undefined, '', 'a b', 'a"b', 'x'.repeat(129), ['a', 'b']].map(idOf)).toEqual(Array(6).fill('new'));
  });
});
