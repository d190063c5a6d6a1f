import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { SealBroken } from '#infra/stores/secrets/seal.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { forAny } from '#test/support/for-any.js';
import { contextAt, openTestLog, type TestLog } from '#test/support/projections/guest-list.js';
import { runs } from '#test/support/test-runs.js';
import { EventCodec } from './event-codec.js';

const CATEGORY = 'test.houses';
const catalogue: EventCatalogue = {
  Listed: {
    sensitive: { subject: ({ id }) => `house-${id}`, members: ['owner', 'door.code', 'items[].who.mails', 'before.guest', 'guest'] },
    pseudonyms: [
      { of: 'guest', as: 'guestKey', within: 'id' },
      { of: 'before.guest', as: 'guestKey', within: 'before.id' },
    ],
  },
};

let log: TestLog;
let keys: SubjectKeys;
let codec: EventCodec;

beforeEach(async () => {
  log = await openTestLog();
  keys = await SubjectKeys.open({ store: log.store, masterKey: log.masterKey });
  codec = new EventCodec({ [CATEGORY]: catalogue }, keys);
});
afterEach(() => log.close());

const recorded = (data: JsonObject): RecordedEvent => ({
  id: randomUUID(),
  type: 'Listed',
  data,
  metadata: { ...contextAt('2024-05-01T10:00:00.000Z'), schemaVersion: 1 },
  stream: `${CATEGORY}-1`,
  revision: 0n,
  position: 1n,
  recordedAt: 0,
});
const stored = async (data: JsonObject): Promise<RecordedEvent> =>
  recorded(await codec.seal(codec.encode(CATEGORY, { type: 'Listed', data })));
const opened = async (event: RecordedEvent): Promise<JsonObject> => (await codec.decode(event)).data;

const HOUSE: JsonObject = {
  id: '1',
  owner: 'secret owner',
  door: { code: 'secret code', colour: 'red' },
  items: [
    { name: 'a', who: { mails: ['secret@a', 'secret@b'], on: true } },
    { name: 'b' },
    { name: 'c', who: { mails: null } },
    { name: 'd', who: { mails: ['secret@d'] } },
  ],
};

describe('nested sealed members', () => {
  it('return to their places when read, and are unreadable in the log', async () => {
    const event = await stored(HOUSE);
    expect(JSON.stringify(event.data)).not.toContain('secret');
    expect(JSON.stringify(event.data)).toContain('red');
    expect(await opened(event)).toEqual(HOUSE);
  });

  it('return to their places whatever the list contains', () =>
    forAny(
      runs(60),
      fc.array(fc.record({ who: fc.record({ mails: fc.jsonValue(), other: fc.jsonValue() }) }, { requiredKeys: [] })),
      async (items) => {
        const data = JSON.parse(JSON.stringify({ id: '1', items })) as JsonObject;
        expect(await opened(await stored(data))).toEqual(data);
      },
    ));

  it('are null when the key is destroyed, and nothing else is', async () => {
    const event = await stored(HOUSE);
    await keys.destroy('house-1');
    expect(await opened(event)).toEqual({
      id: '1',
      owner: null,
      door: { code: null, colour: 'red' },
      items: [
        { name: 'a', who: { mails: null, on: true } },
        { name: 'b' },
        { name: 'c', who: { mails: null } },
        { name: 'd', who: { mails: null } },
      ],
    });
  });

  it('need no key if there are none', async () => {
    const data: JsonObject = { id: 'never', door: { colour: 'red' }, items: [{ name: 'b' }, { who: { mails: null } }] };
    expect((await stored(data)).data).toEqual(data);
    expect(await keys.find('house-never')).toBeNull();
  });

  it('are read unchanged from events stored before they were sealed', async () => {
    expect(await opened(recorded(HOUSE))).toEqual(HOUSE);
  });

  it('cannot be moved to another path', async () => {
    const { data } = await stored(HOUSE);
    const { 'door.code': code, ...rest } = data;
    expect(() => codec.decode(recorded({ ...rest, 'items[].who.mails': code ?? null }))).toThrow(SealBroken);
  });
});

describe('pseudonyms', () => {
  const before = { id: '1', guest: 'ada l.' };

  it('are stored beside the sealed text, equal for equal texts of the same scope, and remain when the key is destroyed', async () => {
    const event = await stored({ id: '1', guest: 'ada l.', before });
    const [same, other, elsewhere] = [
      await stored({ id: '1', guest: 'ada l.' }),
      await stored({ id: '1', guest: 'bob' }),
      await stored({ id: '2', guest: 'ada l.' }),
    ];
    expect(JSON.stringify(event.data)).not.toContain('ada l.'); // a text that no hash or sealed text contains by chance
    const key = keys.pseudonyms.of('ada l.', '1');
    expect(event.data).toMatchObject({ guestKey: key, before: { guestKey: key } });
    expect(same.data.guestKey).toBe(key);
    expect(new Set([key, other.data.guestKey, elsewhere.data.guestKey]).size).toBe(3);
    expect(await opened(event)).toEqual({ id: '1', guest: 'ada l.', guestKey: key, before: { ...before, guestKey: key } });
    await keys.destroy('house-1');
    expect(await opened(event)).toEqual({ id: '1', guest: null, guestKey: key, before: { id: '1', guest: null, guestKey: key } });
  });

  it('are added to events that were stored without them', async () => {
    const key = keys.pseudonyms.of('ada l.', '1');
    expect(await opened(recorded({ ...before, before }))).toEqual({ ...before, guestKey: key, before: { ...before, guestKey: key } });
  });

  it('are made only of texts that are not empty', async () => {
    for (const guest of ['', null]) expect(await opened(await stored({ id: '1', guest }))).toEqual({ id: '1', guest });
  });

  it('depend on the master key', async () => {
    const other = await openTestLog();
    const elsewhere = await SubjectKeys.open({ store: other.store, masterKey: other.masterKey });
    expect(elsewhere.pseudonyms.of('ada l.', '1')).not.toBe(keys.pseudonyms.of('ada l.', '1'));
    await other.close();
  });
});
