import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { JsonObject, Position, RecordedEvent } from '#domain/shared/events.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { prepareForLog } from '#infra/stores/log-identity/namespace-origin.js';
import { streamOfSubject } from '#infra/stores/secrets/key-events.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { openRestorableLog } from '#test/support/event-stores/restorable-log.js';
import { until } from '#test/support/eventually.js';
import { contextAt, readAllOf } from '#test/support/projections/guest-list.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { ERASURES, Eraser } from './eraser.js';

const people: EventCatalogue = {
  PersonCame: { sensitive: { subject: ({ id }) => `person-${id}`, members: ['name'] } },
  PersonWent: { forgets: ({ id }) => [`person-${id}`] },
  TownFlooded: {
    forgetsMentioned: ({ town }) => ({
      in: { stream: `test.people-${town}` },
      subjects: ({ type, data }) => (type === 'PersonCame' ? [`person-${data.id}`] : []),
    }),
  },
  PlagueCame: {
    forgetsMentioned: ({ of }) => ({
      in: { categories: ['test.people'] },
      subjects: ({ type, data }) => (type === 'PersonCame' && data.of === of ? [`person-${data.id}`] : []),
    }),
  },
  HouseClosed: { forgets: ({ ids }) => (Array.isArray(ids) ? ids.map((id) => `person-${id}`) : []) },
};
const catalogues = { 'test.people': people, 'test.other': { Happened: {} } };
const STREAM = 'test.people-1';

let lab: RunnerLab;
let keys: SubjectKeys;
let codec: EventCodec;
const running: Eraser[] = [];
/** Subjects in the order in which they were to be destroyed. */
let asked: string[];

beforeEach(async () => {
  lab = await openRunnerLab('embedded');
  keys = await SubjectKeys.open({ store: lab.events, masterKey: randomBytes(32) });
  codec = new EventCodec(catalogues, keys);
  asked = [];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((eraser) => eraser.stop()));
  await lab.dispose();
});

const destroying = async (subject: string): Promise<void> => {
  asked.push(subject);
  await keys.destroy(subject);
};
const start = (destroy = destroying, store = lab.store, events = lab.events): Eraser => {
  const eraser = new Eraser({
    ...lab.dependencies,
    events,
    store,
    decode: (events) => codec.decodeAll(events),
    keys: { destroy },
    catalogues,
  });
  running.push(eraser);
  eraser.start();
  return eraser;
};
const append = async (type: string, data: object, stream = STREAM): Promise<Position> => {
  const encoded = codec.encode(stream.split('-')[0] ?? '', { type, data });
  const metadata = { ...contextAt('2024-01-02T03:04:05.678Z'), schemaVersion: 1 };
  const event = { id: randomUUID(), type, data: await codec.seal(encoded), metadata };
  return (await lab.events.append(stream, [event], 'any')).position;
};
const names = async () => (await codec.decodeAll(await readAllOf(lab.events, STREAM))).map(({ data }) => data.name);
const checkpoint = async (): Promise<Position> => {
  const served = await lab.store.served(ERASURES);
  return served ? lab.store.checkpoint(served) : 0n;
};
const reached = (position: Position) => until(async () => (await checkpoint()) >= position);

describe('the eraser', () => {
  it('makes unreadable what was sealed for subjects that are gone, and leaves the others', async () => {
    for (const id of ['1', '2', '3', '4']) await append('PersonCame', { id, name: `name ${id}` });
    await append('PersonWent', { id: '2' });
    start();
    await reached(await append('HouseClosed', { ids: ['1', '4'] }));
    expect(asked).toEqual(['person-2', 'person-1', 'person-4']);
    expect(await names()).toEqual([null, null, 'name 3', null, undefined, undefined]);
    const left = await readAllOf(lab.events, streamOfSubject('person-1'));
    expect(left.map(({ type }) => type)).toEqual(['SubjectKeyDestroyed']);
  });

  it('makes unreadable what was sealed for subjects that earlier events of a stream mention, and not for later ones', async () => {
    for (let id = 0; id < 600; id++) await append('PersonCame', { id }, 'test.people-low');
    await append('PersonCame', { id: 'high' }, 'test.people-high');
    const flooded = await append('TownFlooded', { town: 'low' });
    await append('PersonCame', { id: 'later' }, 'test.people-low');
    start();
    await reached(flooded);
    expect(new Set(asked)).toEqual(new Set(Array.from({ length: 600 }, (_, id) => `person-${id}`)));
  });

  it('makes unreadable what was sealed for subjects that earlier events of a category mention', async () => {
    for (const id of ['1', '2', '3'])
      await append('PersonCame', { id, of: id === '2' ? 'b' : 'a', name: `name ${id}` }, `test.people-${id}`);
    const came = await append('PlagueCame', { of: 'a' });
    await append('PersonCame', { id: '4', of: 'a', name: 'name 4' }, 'test.people-4');
    start();
    await reached(came);
    expect(asked).toEqual(['person-1', 'person-3']);
  });

  it('continues where it was, and reads nothing twice', async () => {
    const first = start();
    await reached(await append('PersonWent', { id: '1' }));
    await first.stop();
    await append('Happened', {}, 'test.other-1');
    const last = await append('PersonWent', { id: '2' });
    start();
    await reached(last);
    expect(asked).toEqual(['person-1', 'person-2']);
  });

  it('finishes an erasure that a crash or an outage interrupted', async () => {
    let failures = 3;
    const last = await append('HouseClosed', { ids: ['1', '2'] });
    const crashing = start(async (subject) => {
      asked.push(subject);
      if (subject === 'person-2') throw new EventStoreUnavailable('not now');
    });
    await until(() => asked.includes('person-2'));
    await crashing.stop();
    expect(await checkpoint()).toBe(0n);

    asked = [];
    start(async (subject) => {
      if (failures-- > 0) throw new EventStoreUnavailable('not now');
      await destroying(subject);
    });
    await reached(last);
    expect(asked).toEqual(['person-1', 'person-2']);
  });

  it('does no harm if several are at work, nor if its checkpoint is lost', async () => {
    const other = await lab.openStore();
    start();
    start(destroying, other);
    let last = 0n;
    for (let id = 0; id < 30; id++) {
      await append('PersonCame', { id, name: 'n' });
      last = await append('PersonWent', { id });
    }
    await reached(last);
    const empty = await openRunnerLab('embedded');
    asked = [];
    const afresh = start(destroying, empty.store);
    await until(() => asked.length === 30);
    await afresh.stop();
    await empty.dispose();
    expect(new Set(await names())).toEqual(new Set([null, undefined]));
    for (let id = 0; id < 30; id++) expect(await keys.find(`person-${id}`)).toBeNull();
  });

  it('reads the log from its start again after a release whose events erased less', async () => {
    const position = await append('PersonWent', { id: '1' });
    const { namespace } = await prepareForLog(lab, 'ops.erasures', 2);
    await lab.store.commit(namespace, [], 0n, position);
    await lab.store.serve(namespace);
    start();
    await until(() => asked.includes('person-1'));
  });

  it('moves its checkpoint now and then if there is nothing to erase', async () => {
    const events = Array.from({ length: 2_500 }, (_, n) => ({
      id: randomUUID(),
      type: 'PersonCame',
      data: { id: n },
      metadata: { ...contextAt('2024-01-02T03:04:05.678Z'), schemaVersion: 1 },
    }));
    const { position } = await lab.events.append(STREAM, events, 'any');
    start();
    await reached(position / 2n);
    expect(asked).toEqual([]);
  });

  it('moves its checkpoint to the end of a log in which nothing is for it', async () => {
    await append('PersonCame', { id: 1 });
    const position = await append('Happened', {}, 'test.other-1');
    start();
    await reached(position);
    expect(asked).toEqual([]);
  });

  it.each(['at rest', 'under it'])('misses no subject when an older copy of the log is put in its place %s', async (when) => {
    const log = await openRestorableLog('EventStoreDB');
    await new LogIdentity(log.store()).open();
    const [store, decode] = [lab.store, (events: readonly RecordedEvent[]) => events];
    const begin = (): Eraser => {
      const eraser = new Eraser({
        ...lab.dependencies,
        events: log.store(),
        store,
        decode,
        keys: { destroy: async (id) => void asked.push(id) },
        catalogues,
      });
      running.push(eraser);
      eraser.start();
      return eraser;
    };
    const write = async (type: string, data: JsonObject): Promise<void> => {
      const metadata = { ...contextAt('2024-01-02T03:04:05.678Z'), schemaVersion: 1 };
      await log.store().append(STREAM, [{ id: randomUUID(), type, data, metadata }], 'any');
    };
    try {
      await write('PersonCame', { id: '1' });
      const backup = await log.backup();
      const first = begin();
      await write('PersonCame', { id: 'a name as long as those that follow' });
      await write('PersonWent', { id: '2' });
      await until(() => asked.includes('person-2'));
      if (when === 'at rest') await first.stop();
      await log.restore(backup);
      await new LogIdentity(log.store()).open();
      await write('PersonWent', { id: '1' });
      if (when === 'at rest') begin();
      await until(() => asked.includes('person-1'));
      expect(asked).toEqual(['person-2', 'person-1']);
    } finally {
      await Promise.all(running.splice(0).map((eraser) => eraser.stop()));
      await log.dispose();
    }
  });

  it('continues when an event cannot be read or its subject cannot be destroyed, records it, and tries it again at the next start', async () => {
    const broken = new Set(['2']);
    const decode: typeof codec.decodeAll = (events) => {
      if (events.some(({ data }) => broken.has(String(data.id)))) throw new Error('it cannot be read');
      return codec.decodeAll(events);
    };
    const begin = (destroy = destroying) => {
      const eraser = new Eraser({ ...lab.dependencies, decode: (events) => decode(events), keys: { destroy }, catalogues });
      running.push(eraser);
      eraser.start();
      return eraser;
    };
    const first = begin(async (subject) => {
      if (subject === 'person-3') throw new TypeError('no such stream name');
      await destroying(subject);
    });
    for (const id of ['1', '2', '3', '4']) await append('PersonWent', { id });
    await reached(await append('PersonWent', { id: '5' }));
    expect([asked, first.unerased]).toEqual([['person-1', 'person-4', 'person-5'], 2]);
    await first.stop();

    asked = [];
    const second = begin();
    await until(() => asked.includes('person-3'));
    await reached(await append('PersonWent', { id: '6' }));
    expect([asked, second.unerased]).toEqual([['person-3', 'person-6'], 1]);
    await second.stop();

    broken.clear();
    asked = [];
    const third = begin();
    await until(() => third.unerased === 0 && asked.length > 0);
    expect(asked).toEqual(['person-2']);
    expect(await lab.store.view(ERASURES).range('failed', {})).toEqual([]);
  });
});
