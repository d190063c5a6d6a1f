import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type NotificationSettings, type NotificationSettingsEvent, notificationSettings } from './notification-settings.js';
import { publishedNotices } from './published-notices.js';
import {
  type ChangeCause,
  type CurrentStatus,
  partOf,
  type StatusesNotified,
  statusKey,
  streamOfToldStatuses,
  toldStatuses,
} from './told-statuses.js';

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

  it('begin a new epoch when they were off before, not when they change', () => {
    const other = { ...settings, reports: ['r'] };
    given().when(turnOn()).then(on(1));
    given(on(1)).when(turnOn()).then();
    given(on(1)).when(turnOn(other)).then(on(1, other));
    given(on(1)).when(turnOff).then(off);
    given(on(1), off).when(turnOff).then();
    given(on(1), off).when(turnOn()).then(on(2));
  });
});

describe('statuses that are told', () => {
  const given = deciderSpec(toldStatuses);
  const where = { tenantId: 't', reportId: 'r', group: 'g', part: 'a' };
  const of = (hostname: string, status: string, minute = 0): CurrentStatus => ({
    service: 's',
    hostname,
    status,
    since: `2024-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
  });
  const told = (epoch: number, statuses: readonly CurrentStatus[], ...changes: StatusesNotified['data']['changes']): StatusesNotified => ({
    type: 'StatusesNotified',
    data: { ...where, epoch, report: 'R', statuses, changes },
  });
  const notify = (epoch: number, statuses: readonly CurrentStatus[], ...causes: readonly (readonly [CurrentStatus, ChangeCause])[]) =>
    ({
      type: 'NotifyStatuses',
      ...where,
      epoch,
      report: 'R',
      statuses,
      causes: new Map(causes.map(([one, cause]) => [statusKey(one), cause])),
    }) as const;

  it('are only remembered at the first look', () =>
    given()
      .when(notify(1, [of('a', 'OK')]))
      .then(told(1, [of('a', 'OK')])));

  it('tell a change once, with its cause as far as it is known', () => {
    const [ok, critical] = [of('a', 'OK'), of('a', 'CRITICAL', 5)];
    const cause: ChangeCause = { type: 'metric', metric: 'm', status: 'CRITICAL', timestamp: critical.since };
    const change = { ...critical, previous: 'OK', cause };
    const changed = told(1, [critical], change);
    given(told(1, [ok]))
      .when(notify(1, [critical], [critical, cause]))
      .then(changed);
    given(told(1, [ok]))
      .when(notify(1, [critical]))
      .then(told(1, [critical], { ...change, cause: { type: 'configuration' } }));
    given(told(1, [ok]), changed)
      .when(notify(1, [critical], [critical, cause]))
      .then();
    given(told(1, [ok]), changed)
      .when(notify(1, [of('a', 'CRITICAL', 7)]))
      .then();
  });

  it('are those of all others in silence when some come or go', () => {
    given(told(1, [of('a', 'OK')]))
      .when(notify(1, [of('a', 'OK'), of('b', 'DOWN')]))
      .then(told(1, [of('a', 'OK'), of('b', 'DOWN')]));
    given(told(1, [of('a', 'OK'), of('b', 'DOWN')]))
      .when(notify(1, [of('a', 'OK')]))
      .then(told(1, [of('a', 'OK')]));
  });

  it('begin anew with a new epoch, and pay no heed to an older one', () => {
    given(told(1, [of('a', 'OK')]))
      .when(notify(2, [of('a', 'DOWN')]))
      .then(told(2, [of('a', 'DOWN')]));
    given(told(2, [of('a', 'OK')]))
      .when(notify(1, [of('a', 'DOWN')]))
      .then();
  });

  it('are divided by host, each part in a stream of its own', () => {
    expect([partOf(''), partOf('a'), partOf('b')]).toEqual(['', 'c', '3']);
    const names = ['', 'a'].flatMap((part) => ['g', 'h'].map((group) => streamOfToldStatuses({ ...where, group, part })));
    expect(new Set(names).size).toBe(4);
  });
});

it('records what was published', () => {
  const notices = { tenantId: 't', notices: ['1', '2'], messages: 3 };
  deciderSpec(publishedNotices)().when(notices).then({ type: 'StatusNoticesPublished', data: notices });
  deciderSpec(publishedNotices)()
    .when({ ...notices, notices: [] })
    .then();
});
