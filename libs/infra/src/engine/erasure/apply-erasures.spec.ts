import { describe, expect, it } from '@jest/globals';
import { applyErasures, erasedSubjectsIn, InvalidErasures } from './apply-erasures.js';

const item = (subject: string) => ({ id: '1', state: 'done', service: 'messaging', kind: 'user', subject, reason: 'r' });

describe('a list of erasures', () => {
  it('is read as JSON, in any layout, or as one item a line', () => {
    const items = [item('1'), { ...item('2'), service: 'accounting', kind: 'oidc_tenant' }, item('1')];
    const lines = items.map((one) => JSON.stringify(one)).join('\n');
    for (const text of [JSON.stringify({ items }), JSON.stringify({ items }, null, 2), lines, `${lines}\n`])
      expect(erasedSubjectsIn(text)).toEqual(['user-1', 'oidc-tenant-2']);
    for (const none of ['{"items":[]}', '{"items":[]}\n']) expect(erasedSubjectsIn(none)).toEqual([]);
  });

  it('of 1.0.0 names subjects in place of ids; what may be either is both', () => {
    expect(erasedSubjectsIn(JSON.stringify({ items: [item('user-1')] }))).toEqual(['user-1', 'user-user-1']);
    expect(erasedSubjectsIn('{"items":[{"subject":"oidc-tenant-2"}]}')).toEqual(['oidc-tenant-2']);
  });

  it.each([
    '',
    '\n',
    'x',
    '[]',
    '{}',
    '{"items":1}',
    '{"items":[{}]}',
    '{"items":[null]}',
    '{"items":[{"subject":"keys.master"}]}',
    '{"items":[{"subject":"user-"}]}',
  ])('is refused as a whole: %s', (text) => expect(() => erasedSubjectsIn(text)).toThrow(InvalidErasures));

  it('is refused as JSON once it may be cut, and read with one item a line', () => {
    const items = Array.from({ length: 100 }, (_, index) => item(`${index}`));
    expect(() => erasedSubjectsIn(JSON.stringify({ items }))).toThrow('application/x-ndjson');
    expect(erasedSubjectsIn(JSON.stringify({ items: items.slice(1) }))).toHaveLength(99);
    expect(erasedSubjectsIn(items.map((one) => JSON.stringify(one)).join('\n'))).toHaveLength(100);
  });

  it('destroys the key of every subject', async () => {
    const destroyed: string[] = [];
    const subjects = Array.from({ length: 120 }, (_, index) => `user-${index}`);
    await applyErasures({ destroy: async (subject) => void destroyed.push(subject) }, subjects);
    expect(destroyed).toEqual(subjects);
  });
});
