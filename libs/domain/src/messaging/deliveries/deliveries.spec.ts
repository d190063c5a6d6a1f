import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type DeliveryAction, type DeliveryCommand, deliveries } from './deliveries.js';
import type { DeliveryEvent, WholeDeliveries } from './delivery-events.js';

const ids = { subscriptionId: 's', projectId: 'p' };
const NOTHING = { messages: 0, bytes: 0, lastPull: null, rate: 0 };
const HANDED = { messages: 4, bytes: 40, lastPull: '2024-01-01T00:00:00.000Z', rate: 4 };
const cursorAt = (offset: number, more: object = NOTHING) => ({
  topicId: 't',
  offset,
  nextOffset: 0,
  pendingAck: null,
  ...NOTHING,
  ...more,
});

const command = (action: DeliveryAction, { server = 'a', topicId = 't' as string | null } = {}): DeliveryCommand => ({
  ...ids,
  start: { topicId: 't', startOffset: 3 },
  topicId,
  server,
  ...action,
});
const whole = (more: Partial<WholeDeliveries> = {}): WholeDeliveries => ({
  ...ids,
  server: 'a',
  cursor: cursorAt(3),
  settled: [],
  attempts: [],
  ...more,
});
const recorded = (more: Partial<WholeDeliveries> = {}): DeliveryEvent => ({ type: 'DeliveriesRecorded', data: whole(more) });
const settled = (offset: number, ranges: readonly number[], attempts: readonly number[] = []): DeliveryEvent => ({
  type: 'DeliveriesSettled',
  data: { ...ids, cursor: cursorAt(offset, HANDED), settled: ranges, attempts },
});
const settle = (ranges: readonly number[], returned: readonly number[] = []): DeliveryAction => ({
  type: 'SettleDeliveries',
  settled: ranges,
  returned,
  handed: HANDED,
});
const given = deciderSpec(deliveries);
const evolve = (state: ReturnType<typeof deliveries.initialState>, event: DeliveryEvent) => deliveries.evolve(state, event);

describe('serving a subscription', () => {
  it('starts where the subscription was created', () =>
    given()
      .when(command({ type: 'ServeDeliveries' }))
      .then(recorded()));

  it('continues from the recorded state of any earlier server', () =>
    given(recorded(), settled(5, [3, 5, 7, 9], [6, 2]))
      .when(command({ type: 'ServeDeliveries' }, { server: 'b' }))
      .then(recorded({ server: 'b', cursor: cursorAt(5, HANDED), settled: [7, 9], attempts: [6, 2] })));

  it('starts at the beginning of a recreated topic, and keeps the counters', () =>
    given(recorded(), settled(5, [3, 5]))
      .when(command({ type: 'ServeDeliveries' }, { topicId: 'u' }))
      .then(recorded({ cursor: { ...cursorAt(0, HANDED), topicId: 'u', seeks: 1 } })));

  it.each([
    ['nobody serves', []],
    ['another process serves', [recorded({ server: 'b' })]],
  ])('is required to record anything: %s', (_what, before: readonly DeliveryEvent[]) => {
    given(...before)
      .when(command(settle([3, 4])))
      .thenRejected('NOT_SERVED');
    given(...before)
      .when(command({ type: 'SeekDeliveries', offset: 3, min: 0, max: 9, returned: [], handed: HANDED }))
      .thenRejected('NOT_SERVED');
  });

  it('ends when the topic is replaced', () =>
    given(recorded())
      .when(command(settle([3, 4]), { topicId: 'u' }))
      .thenRejected('NOT_SERVED'));
});

describe('settling', () => {
  it('moves the offset over settled messages up to the first gap', () =>
    given(recorded(), settled(3, [5, 7]))
      .when(command(settle([3, 5])))
      .then(settled(7, [3, 5])));

  it('after a gap leaves the offset unchanged', () =>
    given(recorded())
      .when(command(settle([5, 7, 9, 10])))
      .then(settled(3, [5, 7, 9, 10])));

  it('settled messages again changes nothing', () =>
    given(recorded(), settled(4, [3, 4, 5, 7]))
      .when(command(settle([3, 4, 5, 6], [5, 1, 3, 7])))
      .then());

  it('skips messages that are already settled', () =>
    given(recorded(), settled(4, [3, 4]))
      .when(command(settle([3, 4, 5, 6])))
      .then(settled(4, [5, 6])));

  it('keeps attempts, which never decrease, until the message is settled', () => {
    given(recorded(), settled(3, [], [4, 2]))
      .when(command(settle([], [4, 2, 5, 1])))
      .then(settled(3, [], [5, 1]));
    given(recorded(), settled(3, [], [4, 2]), settled(3, [4, 5]))
      .when(command({ type: 'ServeDeliveries' }))
      .then(recorded({ cursor: cursorAt(3, HANDED), settled: [4, 5] }));
  });

  it('is possible while there is no topic', () =>
    given(recorded())
      .when(command(settle([3, 4]), { topicId: null }))
      .then(settled(4, [3, 4])));

  it('records the number of messages sent to the dead letter topic', () => {
    const event = settled(4, [3, 4]);
    given(recorded())
      .when(command({ ...settle([3, 4]), deadLettered: 1 } as DeliveryAction))
      .then({ ...event, data: { ...event.data, deadLettered: 1 } } as DeliveryEvent);
  });

  it('records the whole state after 200 changes, so that no older event has to be read', () => {
    const changes = Array.from({ length: 200 }, (_, index) => settled(3, [10 + 2 * index, 11 + 2 * index]));
    const state = [recorded(), ...changes].reduce(evolve, deliveries.initialState());
    const events = deliveries.decide(command(settle([5, 6], [6, 1])), state);
    expect(events.map(({ type }) => type)).toEqual(['DeliveriesRecorded', 'DeliveriesSettled']);
    const older = events.reduce(evolve, deliveries.initialState());
    const later = [...changes, ...events].reduce(evolve, state);
    expect(older).toEqual(later);
    expect(deliveries.window).toBeGreaterThan(201);
  });

  it('has no state in the middle of a window', () => expect([settled(3, [4, 5])].reduce(evolve, null)).toBeNull());
});

describe('seeking', () => {
  const seek = (offset: number, returned: readonly number[] = []): DeliveryAction => ({
    type: 'SeekDeliveries',
    offset,
    min: 2,
    max: 20,
    returned,
    handed: HANDED,
  });
  it('settles exactly the messages before the offset; attempts of unsettled messages are kept', () =>
    given(recorded(), settled(4, [3, 4, 8, 9], [5, 1, 6, 2]))
      .when(command(seek(6, [7, 1, 4, 1])))
      .then({ type: 'DeliveriesSought', data: whole({ cursor: cursorAt(6, { ...HANDED, seeks: 1 }), attempts: [6, 2, 7, 1] }) }));

  it('is counted, even if another process serves the subscription afterwards', () =>
    given(recorded(), { type: 'DeliveriesSought', data: whole({ cursor: cursorAt(6, { seeks: 1 }) }) })
      .when(command({ type: 'ServeDeliveries' }, { server: 'b' }))
      .then(recorded({ server: 'b', cursor: cursorAt(6, { seeks: 1 }) })));

  it('discards the outcomes of earlier deliveries', () => {
    const sought: DeliveryEvent = { type: 'DeliveriesSought', data: whole({ cursor: cursorAt(3, { ...HANDED, seeks: 1 }) }) };
    given(recorded(), sought)
      .when(command(settle([3, 4])))
      .thenRejected('NOT_SERVED');
    const cursor = cursorAt(4, { ...HANDED, seeks: 1 });
    given(recorded(), sought)
      .when(command({ ...settle([3, 4]), seeks: 1 } as DeliveryAction))
      .then({ type: 'DeliveriesSettled', data: { ...ids, cursor, settled: [3, 4], attempts: [] } });
  });

  it.each([1, 21])('to %i, outside the log, is refused', (offset) =>
    given(recorded())
      .when(command(seek(offset)))
      .thenRejected('OFFSET_OUT_OF_BOUNDS'),
  );
});
