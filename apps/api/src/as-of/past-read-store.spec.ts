import { expect, it } from '@jest/globals';
import { PastCall, within } from '#api/shared/as-of/past-call.js';
import { EMPTY_VIEW, pastReadStore } from './past-read-store.js';

const pointAt = (position: bigint | null) => ({
  moment: position === null ? null : { index: 1, position, time: '2024-01-01T00:00:00.000Z' },
  clock: 0,
  views: async () => EMPTY_VIEW,
});

it('views of the past have the position of the call that reads them', () => {
  const view = pastReadStore.view('status.profiles');
  const positionIn = (call: PastCall) => within(call, () => view.asOf);
  const call = new PastCall('');
  call.moveTo(pointAt(7n));
  expect(positionIn(call)).toBe(7n);
  call.moveTo(pointAt(null));
  expect(positionIn(call)).toBeUndefined();
  expect(() => view.asOf).toThrow('no request as of the past');
});
