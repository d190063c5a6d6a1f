import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { CapacityEvent } from './capacity-events.js';
import { capacities } from './capacity-rules.js';

const given = deciderSpec(capacities);
const place = { projectId: 'p', installationId: 'x' };
const data = (capacityId: string, registeredOn = '2031-03-11T00:00:00.000Z', definitionId = 'd') => ({
  ...place,
  capacityId,
  definitionId,
  value: '80.50',
  registeredOn,
});
const registered = (...given: Parameters<typeof data>): CapacityEvent => ({ type: 'CapacityRegistered', data: data(...given) });
const revise = (capacityId: string, value: string | null, registeredOn: string | null) =>
  ({ type: 'ReviseCapacity', capacityId, value, registeredOn }) as const;
const revised = (capacityId: string, value: string, registeredOn: string): CapacityEvent => ({
  type: 'CapacityRevised',
  data: { ...place, capacityId, value, registeredOn },
});

const [DAY, NEXT] = ['2031-03-11T00:00:00.000Z', '2031-03-12T00:00:00.000Z'];

describe('capacities of an installation', () => {
  it('can share a definition, even on one day', () =>
    given(registered('a'), registered('b', NEXT), registered('c', DAY, 'e'))
      .when({ type: 'RegisterCapacity', ...data('f', '2031-03-11T00:00:00.001Z') })
      .then(registered('f', '2031-03-11T00:00:00.001Z')));

  it('are refused for an instant at which the definition already has a capacity', () => {
    given(registered('a'))
      .when({ type: 'RegisterCapacity', ...data('b') })
      .thenRejected('CAPACITY_TAKEN');
    given(registered('a'), registered('b', NEXT))
      .when(revise('b', null, DAY))
      .thenRejected('CAPACITY_TAKEN');
  });

  it('free their instant when they move to another', () =>
    given(registered('a'), revised('a', '80.50', NEXT))
      .when({ type: 'RegisterCapacity', ...data('b') })
      .then(registered('b')));

  it('change only the members that a revision contains', () => {
    given(registered('a'))
      .when(revise('a', '90', null))
      .then(revised('a', '90', DAY));
    given(registered('a'))
      .when(revise('a', null, NEXT))
      .then(revised('a', '80.50', NEXT));
    given(registered('a'), revised('a', '90', NEXT))
      .when(revise('a', '91', NEXT))
      .then(revised('a', '91', NEXT));
  });

  it('record no event if a revision changes nothing', () => {
    given(registered('a'))
      .when(revise('a', null, null))
      .then();
    given(registered('a'))
      .when(revise('a', '80.50', DAY))
      .then();
  });

  it('must be registered before they are revised', () =>
    given(registered('a'))
      .when(revise('b', '1', DAY))
      .thenRejected('CAPACITY_NOT_FOUND', { capacityId: 'b' }));
});
