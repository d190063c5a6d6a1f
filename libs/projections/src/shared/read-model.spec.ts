import { describe, expect, it } from '@jest/globals';
import { collection } from './collection.js';
import type { ProjectedEvent } from './projection.js';
import { type EventOf, reading, readModel } from './read-model.js';

type Opened = Readonly<{ type: 'Opened'; data: Readonly<{ id: string }> }>;
type Paid = Readonly<{ type: 'Paid'; data: Readonly<{ from: string; to: readonly string[]; amount: number }> }>;

const accounts = collection<number>('accounts', { key: (id) => `account/${id}`, owner: { by: 'first-part', kind: 'account' } });
const holders = collection<string>('holders', { sealed: [{ path: 'name', subject: ({ key }) => key }], contested: true });

const model = readModel<Opened | Paid>(
  {
    name: 'test.accounts',
    version: 1,
    service: 'ops',
    categories: ['test.accounts'],
    collections: [accounts, holders],
    partitionsOf: () => ['account:1'],
  },
  {
    Opened: ({ data }) => [accounts.put(data.id, 0)],
    Paid: reading(
      ({ data }: EventOf<Paid>) => ({ from: accounts.at(data.from), to: data.to.map((id) => accounts.at(id)) }),
      ({ data }, { from = 0, to }) => [
        accounts.put(data.from, from - data.amount),
        ...data.to.map((id, index) => accounts.put(id, (to[index] ?? 0) + data.amount)),
      ],
    ),
  },
);

const event = (type: string, data: object) => ({ type, data }) as ProjectedEvent;

describe('a read model', () => {
  it('handles the event types that have handlers', () => expect([...model.handles]).toEqual(['Opened', 'Paid']));

  it('derives owners, contested collections and sealed members from its collections', () => {
    expect(model.partitions).toMatchObject({ owners: { accounts: { by: 'first-part', kind: 'account' } }, contested: ['holders'] });
    expect(Object.keys(model.sealed ?? {})).toEqual(['holders']);
  });

  it('declares the documents that a handler reads, and passes them under the same names', () => {
    const paid = event('Paid', { from: 'a', to: ['b', 'c'], amount: 3 });
    expect(model.reads(paid)).toEqual(['account/a', 'account/b', 'account/c'].map((key) => ({ collection: 'accounts', key })));
    const stored = new Map([
      ['account/a', 10],
      ['account/b', 1],
    ]);
    expect(model.apply(paid, (_collection, key) => stored.get(key))).toEqual([
      { kind: 'put', collection: 'accounts', key: 'account/a', value: 7 },
      { kind: 'put', collection: 'accounts', key: 'account/b', value: 4 },
      { kind: 'put', collection: 'accounts', key: 'account/c', value: 3 },
    ]);
  });

  it('passes the length of a text as a number, and a text that may not be needed as a function', () => {
    const lines = collection<string>('lines', { codec: { encode: String, decode: (text) => text } });
    const handler = reading(
      ({ data }: EventOf<Opened>) => ({ length: lines.lengthAt(data.id), text: lines.lazyAt(data.id), all: [lines.lazyAt('a')] }),
      ({ data }, { length = 0, text, all }) => [
        length < 3 ? lines.append(data.id, `${length}`) : lines.put(data.id, `${text() ?? ''}${all.map((one) => one()).join()}`),
      ],
    );
    const opened = event('Opened', { id: 'x' }) as EventOf<Opened>;
    const [length, lazy] = ['length', 'lazy'].map((form) => ({ collection: 'lines', key: 'x', form }));
    expect(handler.reads(opened)).toEqual([length, lazy, { collection: 'lines', key: 'a', form: 'lazy' }]);
    const asked: unknown[] = [];
    const changesAt = (bytes: number | undefined) =>
      handler.apply(opened, (_collection, key, form) => {
        asked.push(`${key} ${form}`);
        return form === 'length' ? bytes : `text of ${key}`;
      });
    expect(changesAt(undefined)).toEqual([{ kind: 'append', collection: 'lines', key: 'x', piece: '0' }]);
    expect(asked).toEqual(['x length']);
    expect(changesAt(9)).toEqual([{ kind: 'put', collection: 'lines', key: 'x', value: 'text of xtext of a' }]);
  });

  it('has no pieces or bytes with sealed or marked members', () => {
    expect(() => holders.append('a', 'x')).toThrow('sealed or marked members');
    expect(() => collection<Buffer>('blobs', { bytes: true, marks: {} })).toThrow('without a codec, sealed or marked members');
    const bytes = Buffer.from([0, 255]);
    expect(collection<Buffer>('blobs', { bytes: true }).parse(bytes)).toBe(bytes);
  });

  it('reads nothing for a plain function', () => expect(model.reads(event('Opened', { id: 'a' }))).toEqual([]));

  it('rejects an event of a type that it does not handle', () =>
    expect(() => model.apply(event('Closed', {}), () => undefined)).toThrow('read model test.accounts has no handler for Closed'));
});
