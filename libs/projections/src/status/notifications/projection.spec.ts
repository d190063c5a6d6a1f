import { describe, it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { notificationsProjection } from './projection.js';

const given = projectionSpec(notificationsProjection);

const tenantId = 't';
const settings = { projectId: 'p', topic: 'x', levels: ['group'], epoch: 1 };
const on = { type: 'StatusNotificationsTurnedOn', data: { tenantId, ...settings } };
const off = { type: 'StatusNotificationsTurnedOff', data: { tenantId, epoch: 1 } };
const ofGroup = { level: 'group', service: '', hostname: '', metric: '', status: 'OK', since: '2024-01-01T00:00:00Z' };
const change = { ...ofGroup, previous: 'CRITICAL', previousSince: ofGroup.since, cause: { type: 'day' } };
const told = (...changes: readonly object[]) => ({
  type: 'StatusChangesFound',
  data: { tenantId, reportId: 'r', group: 'g/h', epoch: 1, number: 1, report: 'R', seen: [ofGroup], gone: [], changes },
});
const AT = '2024-01-02T03:04:05Z';
const remembered = { 't/r/g%2Fh/-': { group: 'g/h', part: '', epoch: 1, statuses: [{ ...ofGroup, told: AT }], number: 1 } };
const [first, second] = ['00000000000000000020', '00000000000000000030'];
const published = { type: 'StatusNoticesPublished', data: { tenantId, notices: [first], messages: 1 } };

describe('notifications', () => {
  it('store announced statuses, and changes until they are published', () => {
    given(on, told()).then({ settings: { t: settings }, told: remembered });
    const notice = (event: string) => ({
      event,
      correlationId: 'request',
      epoch: 1,
      report: 'R',
      group: 'g/h',
      at: AT,
      changes: [change],
    });
    given(on, told(change), told(change), published).then({
      settings: { t: settings },
      told: remembered,
      pending: { [`t/${second}`]: notice('00000000-0000-4000-8000-000000000003') },
      totals: { t: { published: 1, pending: 1, lastAt: '2024-01-02T03:04:05Z' } },
    });
  });

  it('store the last announced status of each item, in parts of the group, and changes in order', () => {
    const item = (level: string, hostname: string, metric = '') => ({ level, service: 's', hostname, metric });
    const at = (one: object, text: string) => ({ ...one, status: text, since: '2024-01-01T00:00:00Z' });
    const [endpoint, metric, other] = [item('endpoint', 'a'), item('metric', 'a', 'm'), item('metric', 'a', 'n')];
    const found = (number: number, what: object, epoch = 1) => ({
      type: 'StatusChangesFound',
      data: { tenantId, reportId: 'r', group: 'g', epoch, number, report: 'R', seen: [], gone: [], changes: [], ...what },
    });
    const changed = { ...at(endpoint, 'DOWN'), previous: 'OK', previousSince: '2024-01-01T00:00:00Z', cause: { type: 'day' } };
    const seen = found(1, { seen: [at(endpoint, 'OK'), at(metric, 'OK'), at(other, 'OK')] });
    const part = (name: string, statuses: readonly object[], more: object = {}, epoch = 1) => ({
      group: 'g',
      part: name,
      epoch,
      statuses: statuses.map((one) => ({ ...one, told: AT })),
      ...more,
    });
    given(on, seen, found(2, { gone: [other], changes: [changed] })).then({
      settings: { t: settings },
      told: {
        't/r/g/-': part('', [], { number: 2 }),
        't/r/g/c': part('c', [at(endpoint, 'DOWN')]),
        't/r/g/mca': part('mca', [at(metric, 'OK')]),
      },
      pending: {
        't/00000000000000000030': {
          event: '00000000-0000-4000-8000-000000000003',
          correlationId: 'request',
          epoch: 1,
          report: 'R',
          group: 'g',
          at: AT,
          changes: [changed],
        },
      },
      totals: { t: { published: 0, pending: 1 } },
    });
    given(seen, found(1, { seen: [at(endpoint, 'OK')] }, 2)).thenCollections({
      told: {
        't/r/g/-': part('', [], { number: 1 }, 2),
        't/r/g/c': part('c', [at(endpoint, 'OK')], {}, 2),
        't/r/g/mca': part('mca', [at(metric, 'OK'), at(other, 'OK')]),
      },
    });
  });

  it('discard announced statuses and pending changes when they are turned off', () =>
    given(on, told(change), off).then({ totals: { t: { published: 0, pending: 0 } } }));

  it('discard announced statuses of a deleted report, and everything of a deleted tenant', () => {
    const report = { type: 'ReportDeleted', stream: 'status.reports-t', data: { id: 'r' } };
    given(on, told(), report).then({ settings: { t: settings } });
    const tenant = { type: 'TenantDeleted', data: { tenantId, userIds: [] } };
    given(on, told(change), tenant).then({});
  });
});
