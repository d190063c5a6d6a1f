import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import {
  type NotificationSettings,
  type NotificationSettingsEvent,
  type NotifiedLevel,
  notificationSettings,
} from './notification-settings.js';
import { publishedNotices } from './published-notices.js';
import {
  changesSince,
  inOrderOfTime,
  partOfItem,
  type StatusChangesFound,
  statusChanges,
  streamOfStatusChanges,
} from './status-changes.js';

describe('settings of notifications', () => {
  const given = deciderSpec(notificationSettings);
  const settings: NotificationSettings = { projectId: 'p', topic: 't', levels: ['group'] };
  const on = (epoch: number, one = settings): NotificationSettingsEvent => ({
    type: 'StatusNotificationsTurnedOn',
    data: { tenantId: 't', ...one, epoch },
  });
  const off: NotificationSettingsEvent = { type: 'StatusNotificationsTurnedOff', data: { tenantId: 't', epoch: 1 } };
  const turnOn = (one = settings) => ({ type: 'TurnOnStatusNotifications', tenantId: 't', settings: one }) as const;
  const turnOff = { type: 'TurnOffStatusNotifications', tenantId: 't' } as const;

  it('start a new epoch if they were off before, but not if they change', () => {
    const other = { ...settings, reports: ['r'], repeatSeconds: 60 };
    given().when(turnOn()).then(on(1));
    given(on(1)).when(turnOn()).then();
    given(on(1)).when(turnOn(other)).then(on(1, other));
    given(on(1)).when(turnOff).then(off);
    given(on(1), off).when(turnOff).then();
    given(on(1), off).when(turnOn()).then(on(2));
  });
});

describe('changes of statuses', () => {
  const given = deciderSpec(statusChanges);
  const place = { tenantId: 't', reportId: 'r', group: 'g' };
  const item = { level: 'endpoint', service: 's', hostname: 'a', metric: '' } as const;
  const at = (minute: number) => `2024-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const status = (text: string, minute: number) => ({ status: text, since: at(minute) });
  const found = { report: 'R', seen: [{ ...item, ...status('OK', 0) }], gone: [], changes: [] };
  const record = (epoch: number, after: number, what: Partial<typeof found> = {}) =>
    ({ type: 'RecordStatusChanges', ...place, epoch, after, ...found, ...what }) as const;
  const recorded = (epoch: number, number: number): StatusChangesFound => ({
    type: 'StatusChangesFound',
    data: { ...place, epoch, number, ...found },
  });

  it('are recorded by a node that knows the last recorded event', () => {
    given().when(record(1, 0)).then(recorded(1, 1));
    given(recorded(1, 1)).when(record(1, 1)).then(recorded(1, 2));
    given(recorded(1, 1)).when(record(1, 0)).then();
    given(recorded(1, 1)).when(record(1, 2)).then();
    given(recorded(1, 1))
      .when(record(1, 1, { seen: [] }))
      .then();
  });

  it('start from the beginning in a new epoch; an older epoch is ignored', () => {
    given(recorded(1, 4)).when(record(2, 0)).then(recorded(2, 1));
    given(recorded(2, 1)).when(record(1, 1)).then();
  });

  it('are all changes after the last announced one, in order', () => {
    const toldAfter = (...statuses: readonly (readonly [string, number])[]) =>
      changesSince(
        status('OK', 5),
        statuses.map(([text, minute]) => status(text, minute)),
      ).map((one) => `${one.previous} ${one.previousSince.slice(14, 16)} ${one.status} ${one.since.slice(14, 16)}`);
    expect(toldAfter(['OK', 5])).toEqual([]);
    expect(toldAfter(['OK', 5], ['CRITICAL', 6], ['OK', 7], ['WARNING', 8])).toEqual([
      'OK 05 CRITICAL 06',
      'CRITICAL 06 OK 07',
      'OK 07 WARNING 08',
    ]);
  });

  it('before the last announced one are included only if the current status differs', () => {
    const toldAfter = (...statuses: readonly (readonly [string, number])[]) =>
      changesSince(
        status('OK', 5),
        statuses.map(([text, minute]) => status(text, minute)),
      ).map((one) => `${one.status} ${one.since.slice(14, 16)}`);
    expect(toldAfter(['OK', 0], ['CRITICAL', 2], ['OK', 3])).toEqual([]);
    expect(toldAfter(['OK', 0], ['CRITICAL', 2])).toEqual(['CRITICAL 02']);
    expect(toldAfter(['CRITICAL', 2], ['OK', 6])).toEqual([]);
    expect(toldAfter(['CRITICAL', 2], ['WARNING', 6])).toEqual(['WARNING 06']);
  });

  it('are in order of time, then from metrics to the group', () => {
    const of = (level: NotifiedLevel, minute: number, hostname = '') => ({
      level,
      service: '',
      hostname,
      metric: '',
      ...status('OK', minute),
    });
    const order = [
      of('group', 1),
      of('metric', 2, 'a'),
      of('metric', 2, 'b'),
      of('endpoint', 2, 'a'),
      of('service', 2),
      of('group', 2),
      of('metric', 3),
    ];
    expect(order.toReversed().sort(inOrderOfTime)).toEqual(order);
  });

  it('are stored by parts of a group: endpoints and metrics by host', () => {
    const parts = (['group', 'service', 'endpoint', 'metric'] as const).map((level) => partOfItem({ ...item, level }));
    expect(parts).toEqual(['', '', 'c', 'mca']);
    expect(new Set(['g', 'h'].map((group) => streamOfStatusChanges({ ...place, group }))).size).toBe(2);
  });
});

it('records published notices', () => {
  const notices = { tenantId: 't', notices: ['1', '2'], messages: 3 };
  deciderSpec(publishedNotices)().when(notices).then({ type: 'StatusNoticesPublished', data: notices });
  deciderSpec(publishedNotices)()
    .when({ ...notices, notices: [] })
    .then();
});
