import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SealBroken } from '#infra/stores/secrets/seal.js';
import type { Sealing } from '#projections/shared/projection.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { openText, ruleOf, sealText, subjectsIn } from './sealed-text.js';

const KEYS = new Map(['house-1', 'user-1', 'user-2'].map((subject) => [subject, randomBytes(32)]));
const SEALING: Sealing = [
  { path: 'info.email', subject: ({ document }) => `house-${document.id}` },
  { path: 'rooms', subject: ({ key }) => `house-${key}`, erased: '[]' },
  { path: 'users[].name', subject: ({ holder }) => `user-${holder.id}` },
  { path: 'users[].mails[]', subject: ({ holder }) => `user-${holder.id}`, erased: 'null' },
];
const rule = ruleOf(SEALING);
const CONTEXT = 'test\nhouses\n1';
const sealed = (text: string, key = '1', context = CONTEXT): Buffer => {
  const secrets = rule(key, text);
  return Buffer.from(secrets.length === 0 ? text : sealText({ text, secrets }, KEYS, context));
};
const opened = (stored: Buffer, keys: ReadonlyMap<string, Buffer | null> = KEYS, context = CONTEXT): string =>
  openText(stored, keys, context).toString();

const HOUSE = {
  id: '1',
  info: { name: 'open "name"', email: 'secret-1' },
  rooms: [{ of: 'secret-2', deep: [[{ a: '}"]' }]] }],
  users: [
    { id: '1', name: 'secret-3 \\" ü', mails: ['secret-4', 'secret-5'], last: -1.5e3 },
    { id: '2', name: 'secret-6', mails: [] },
  ],
  end: true,
};

describe('the text of a sealed document', () => {
  it.each([0, 1, 3])('contains nothing secret in a layout with %p spaces a level, and is restored byte for byte', (spaces) => {
    const text = JSON.stringify(HOUSE, null, spaces);
    const stored = sealed(text);
    expect(stored.toString()).not.toContain('secret');
    expect(stored.toString()).toContain('open \\"name\\"');
    expect([...subjectsIn(stored)].sort()).toEqual(['house-1', 'user-1', 'user-2']);
    expect(opened(stored)).toBe(text);
    expect(sealed(text)).toEqual(stored); // the same document gives the same text
  });

  it('is restored whatever its values are, and the places of its members', async () => {
    const user = fc.record({ id: fc.constantFrom('1', '2'), name: fc.jsonValue(), mails: fc.jsonValue(), more: fc.jsonValue() });
    const house = fc.record(
      {
        other: fc.jsonValue(),
        info: fc.oneof(fc.jsonValue(), fc.record({ email: fc.jsonValue(), 'a"b': fc.jsonValue() })),
        rooms: fc.jsonValue(),
        users: fc.oneof(fc.jsonValue(), fc.array(user)),
      },
      { requiredKeys: [] },
    );
    await forAny(runs(400), house, fc.constantFrom(0, 2), fc.string(), (document, spaces, end) => {
      const text = JSON.stringify({ id: '1', ...document, end }, null, spaces);
      const stored = sealed(text);
      const keys = new Map([...KEYS, ...subjectsIn(stored).map((subject) => [subject, KEYS.get(subject) ?? null] as const)]);
      if (subjectsIn(stored).every((subject) => KEYS.has(subject))) expect(opened(stored, keys)).toBe(text);
    });
  });

  it('has replacements in place of values whose key is gone', () => {
    const text = JSON.stringify(HOUSE);
    const stored = sealed(text);
    const withoutUser = new Map<string, Buffer | null>([...KEYS, ['user-1', null]]);
    const users = [{ ...HOUSE.users[0], name: '', mails: [null, null] }, HOUSE.users[1]];
    expect(JSON.parse(opened(stored, withoutUser))).toEqual({ ...HOUSE, users });
    const withoutAny = new Map([...KEYS.keys()].map((subject) => [subject, null]));
    expect(JSON.parse(opened(stored, withoutAny))).toMatchObject({ info: { name: 'open "name"', email: '' }, rooms: [], end: true });
    expect(sealText({ text, secrets: rule('1', text) }, withoutAny, CONTEXT)).not.toContain('secret');
    expect(opened(Buffer.from(sealText({ text, secrets: rule('1', text) }, withoutAny, CONTEXT)))).toBe(opened(stored, withoutAny));
  });

  it('is left alone if there is nothing to seal', () => {
    for (const text of ['{}', '[]', '{"id":"1","info":{"email":""},"rooms":[],"users":[{"id":"1","name":null}]}', '"users"', '17'])
      expect(sealed(text).toString()).toBe(text);
  });

  it('may be the items of a list', () => {
    const items = ruleOf([{ path: 'who.mails', subject: ({ key }) => `house-${key}`, erased: '[]' }]);
    const text = [
      '{"a": "1,2", "who": {"mails": ["secret"]}}',
      '{"b": 1}',
      '{"who": {"mails": []}}',
      '{"who": {"mails": ["secret"]}}',
    ].join(',\n ');
    const stored = Buffer.from(sealText({ text, secrets: items('1', text) }, KEYS, CONTEXT));
    expect(stored.toString()).not.toContain('secret');
    expect(opened(stored)).toBe(text);
    expect(opened(stored, new Map([['house-1', null]]))).toBe(text.replaceAll('["secret"]', '[]'));
  });

  it('cannot be forged by what clients send, nor opened in another place or when it was altered', () => {
    const forged = JSON.stringify({ id: '1', text: '\x030:""\x03\x02house-1\x1fabc' });
    expect(opened(sealed(forged))).toBe(forged);
    const stored = sealed(JSON.stringify(HOUSE));
    expect(() => opened(stored, KEYS, 'test\nhouses\n2')).toThrow(SealBroken);
    const some = stored.length - 10;
    stored[some] = stored[some] === 65 ? 66 : 65;
    expect(() => opened(stored)).toThrow(SealBroken);
  });
});
