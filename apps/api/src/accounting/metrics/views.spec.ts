import { expect, it } from '@jest/globals';
import { shortForm } from './views.js';

it('a metric has a short form, in which an empty user id is shown', () =>
  expect(
    shortForm({
      metricId: 'm',
      projectId: 'p',
      providerId: 'v',
      installationId: 'x',
      definitionId: 'd',
      periodStart: '2031-02-28T12:00:00.000Z',
      periodEnd: '2031-03-02T00:00:00.000Z',
      value: '40',
      groupId: 'a"b',
      userId: '',
    }),
  ).toBe(
    '{"metric_id":"m","metric_definition_id":"d","time_period_start":"2031-02-28T12:00:00Z","time_period_end":"2031-03-02T00:00:00Z",' +
      '"value":40.0,"group_id":"a\\"b","user_id":""}',
  ));
