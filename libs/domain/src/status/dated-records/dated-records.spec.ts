import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Sizes } from '#domain/status/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { type DatedEvent, type DatedState, datedResource, type NamedRecord, streamOfDated } from './dated-records.js';

type Record = NamedRecord & Readonly<{ value: number }>;
const things = datedResource<Record>({
  kind: 'things',
  events: { dated: 'ThingSnapshotDated', deleted: 'ThingDeleted' },
  validate: ({ value }) => (value < 0 ? [`${value} is negative`, 'really'] : []),
});
const given = deciderSpec(things.decider);

const dated = (
  id: string,
  date: string,
  name: string,
  change: 'created' | 'added' | 'replaced' = 'created',
  value = 1,
): DatedEvent<Record> => ({
  type: 'ThingSnapshotDated',
  data: { id, date, change, record: { name, value } },
});
const deleted = (id: string): DatedEvent<Record> => ({ type: 'ThingDeleted', data: { id } });
const create = (id: string, date: string, name: string, value = 1) =>
  ({ type: 'CreateRecord', id, date, record: { name, value } }) as const;
const revise = (id: string, date: string, name: string, value = 1) =>
  ({ type: 'ReviseRecord', id, date, record: { name, value } }) as const;
const remove = (id: string) => ({ type: 'DeleteRecord', id }) as const;

describe('dated records', () => {
  it('share one stream per kind and tenant', () => expect(streamOfDated(things, 't-1')).toBe('status.things-t-1'));

  it('are created with a first snapshot', () =>
    given()
      .when(create('1', '2024-01-01', 'a'))
      .then(dated('1', '2024-01-01', 'a')));

  it('get another day in their history', () =>
    given(dated('1', '2024-01-02', 'a'))
      .when(revise('1', '2024-01-05', 'a', 2))
      .then(dated('1', '2024-01-05', 'a', 'added', 2)));

  it('get a day before the first snapshot', () =>
    given(dated('1', '2024-01-02', 'a'))
      .when(revise('1', '2023-12-31', 'a'))
      .then(dated('1', '2023-12-31', 'a', 'added')));

  it('replace the snapshot of the same day', () =>
    given(dated('1', '2024-01-02', 'a'))
      .when(revise('1', '2024-01-02', 'b'))
      .then(dated('1', '2024-01-02', 'b', 'replaced')));

  it('are deleted with all snapshots', () =>
    given(dated('1', '2024-01-02', 'a'), dated('1', '2024-02-02', 'a', 'added'))
      .when(remove('1'))
      .then(deleted('1')));

  it.each([revise('2', '2024-01-01', 'b'), remove('2')])('reject $type of an unknown record', (command) =>
    given(dated('1', '2024-01-01', 'a'))
      .when(command)
      .thenRejected('RECORD_NOT_FOUND'),
  );

  it.each([revise('1', '2024-01-01', 'b'), remove('1')])('reject $type of a deleted record', (command) =>
    given(dated('1', '2024-01-01', 'a'), deleted('1'))
      .when(command)
      .thenRejected('RECORD_NOT_FOUND'),
  );

  it('reject invalid contents with one line per problem', () =>
    given()
      .when(create('1', '2024-01-01', 'a', -1))
      .thenRejected('RECORD_INVALID', { lines: ['-1 is negative', 'really'] }));

  it('are marked if they are invalid and migrated from the original service; the next revision must be valid', () => {
    const [created, revised] = [create('1', '2024-01-01', 'a', -1), revise('1', '2024-01-02', 'a', -2)];
    const marked = (event: DatedEvent<Record>) => ({ ...event, data: { ...event.data, unchecked: true } }) as DatedEvent<Record>;
    given()
      .when({ ...created, takenOver: true })
      .then(marked(dated('1', '2024-01-01', 'a', 'created', -1)));
    given(marked(dated('1', '2024-01-01', 'a', 'created', -1)))
      .when({ ...revised, takenOver: true })
      .then(marked(dated('1', '2024-01-02', 'a', 'added', -2)));
    given(marked(dated('1', '2024-01-01', 'a', 'created', -1)))
      .when(revised)
      .thenRejected('RECORD_INVALID');
    given()
      .when({ ...create('1', '2024-01-01', 'a', 1), takenOver: true })
      .then(dated('1', '2024-01-01', 'a'));
  });

  it('check existence first, then the contents, then the name', () => {
    given(dated('1', '2024-01-01', 'a'))
      .when(revise('2', '2024-01-01', 'a', -1))
      .thenRejected('RECORD_NOT_FOUND');
    given(dated('1', '2024-01-01', 'a'))
      .when(create('2', '2024-01-01', 'a', -1))
      .thenRejected('RECORD_INVALID');
  });

  describe('names', () => {
    it('are taken by another record, on any day', () =>
      given(dated('1', '2030-01-01', 'a'))
        .when(create('2', '2020-01-01', 'a'))
        .thenRejected('NAME_TAKEN'));

    it('stay taken when the other record has a new name on a later day', () =>
      given(dated('1', '2024-01-01', 'a'), dated('1', '2024-02-01', 'b', 'added'), dated('2', '2024-01-01', 'c'))
        .when(revise('2', '2024-01-01', 'a'))
        .thenRejected('NAME_TAKEN'));

    it('differ by letter case', () =>
      given(dated('1', '2024-01-01', 'a'))
        .when(create('2', '2024-01-01', 'A'))
        .then(dated('2', '2024-01-01', 'A')));

    it('may be empty, once', () => {
      given()
        .when(create('1', '2024-01-01', ''))
        .then(dated('1', '2024-01-01', ''));
      given(dated('1', '2024-01-01', ''))
        .when(create('2', '2024-01-01', ''))
        .thenRejected('NAME_TAKEN');
    });

    it('can be kept and reused by the record itself', () =>
      given(dated('1', '2024-01-01', 'a'), dated('1', '2024-02-01', 'b', 'added'))
        .when(revise('1', '2024-03-01', 'a'))
        .then(dated('1', '2024-03-01', 'a', 'added')));

    it('are free once the only snapshot with them is replaced', () =>
      given(dated('1', '2024-01-01', 'a'), dated('1', '2024-01-01', 'b', 'replaced'))
        .when(create('2', '2024-01-01', 'a'))
        .then(dated('2', '2024-01-01', 'a')));

    it('stay taken while another snapshot of the record has them', () =>
      given(dated('1', '2024-01-01', 'a'), dated('1', '2024-02-01', 'a', 'added'), dated('1', '2024-01-01', 'b', 'replaced'))
        .when(create('2', '2024-01-01', 'a'))
        .thenRejected('NAME_TAKEN'));

    it('are free once the record is deleted', () =>
      given(dated('1', '2024-01-01', 'a'), dated('1', '2024-02-01', 'b', 'added'), deleted('1'))
        .when(create('2', '2024-01-01', 'b'))
        .then(dated('2', '2024-01-01', 'b')));

    it('that two migrated records have are taken for both, and for the one that is left no longer', () => {
      const both = [dated('1', '2024-01-01', 'a'), dated('2', '2024-01-01', 'a')];
      for (const id of ['1', '2'])
        given(...both)
          .when(revise(id, '2024-02-01', 'a'))
          .thenRejected('NAME_TAKEN');
      given(...both, deleted('1'))
        .when(revise('2', '2024-02-01', 'a'))
        .then(dated('2', '2024-02-01', 'a', 'added'));
    });

    it('are taken exactly while another record has them on any day, whatever was migrated', () => {
      const [ids, days, names] = [
        ['1', '2', '3'],
        ['2024-01-01', '2024-02-01', '2024-03-01'],
        ['a', 'A', '__proto__'],
      ] as const;
      const day = fc.option(fc.constantFrom(...days), { nil: undefined, freq: 5 }); // none: the record is deleted
      const change = fc.tuple(fc.constantFrom(...ids), day, fc.constantFrom(...names));
      return forAny(runs(100), fc.array(change, { maxLength: 20 }), (changes) => {
        const shown = new Map<string, string>();
        const happened = changes.map(([id, date, name]) => {
          if (date !== undefined) shown.set(`${id} ${date}`, name);
          else for (const known of days) shown.delete(`${id} ${known}`);
          return date === undefined ? deleted(id) : dated(id, date, name);
        });
        for (const id of [...ids, 'new'])
          for (const name of names) {
            const isTaken = [...shown].some(([of, one]) => one === name && !of.startsWith(`${id} `));
            const created = given(...happened).when(create(id, '2025-01-01', name));
            if (isTaken) created.thenRejected('NAME_TAKEN');
            else created.then(dated(id, '2025-01-01', name));
          }
      });
    });
  });

  it('stay as they are when an event of theirs is skipped because it has no record', () => {
    const { decide, evolve, initialState } = things.decider;
    const state = evolve(initialState(), dated('1', '2024-01-01', 'a'));
    const foreign = { ...dated('1', '2024-01-01', 'a').data, record: null } as never;
    expect(() => evolve(state, { type: 'ThingSnapshotDated', data: foreign })).toThrow(TypeError);
    expect(() => decide(create('2', '2024-01-01', 'a'), state)).toThrow('NAME_TAKEN');
  });

  it('leave nothing in the state when they are deleted', () => {
    const events = [
      dated('1', '2024-01-01', 'a'),
      dated('1', '2024-02-01', 'b', 'added'),
      dated('1', '2024-02-01', 'c', 'replaced'),
      deleted('1'),
    ];
    const state = events.reduce<DatedState>((state, event) => things.decider.evolve(state, event), things.decider.initialState());
    expect(state).toEqual({ names: new Map(), holders: new Map(), sizes: new Sizes() });
  });
});
