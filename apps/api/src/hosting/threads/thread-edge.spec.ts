import { expect, it } from '@jest/globals';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { accountingControllers } from '#api/accounting/accounting.module.js';
import { messagingControllers } from '#api/messaging/messaging.module.js';
import { routeOf } from '#api/shared/routes/route.js';
import { statusControllers } from '#api/status/status.module.js';
import { datedResources } from '#domain/status/index.js';

const STATUS = [
  ...datedResources.flatMap(({ kind }) => [kind, `${kind}/:id`]),
  'factors',
  'downtimes',
  'reports',
  'reports/:id',
  'topology/endpoints',
  'topology/groups',
  'topology/service-types',
];
const MESSAGING = [
  'topics',
  'topics/:topic',
  'subscriptions',
  'subscriptions/:subscription',
  'schemas',
  'schemas/:schema',
  'members',
  'members/:user',
];
const ACCOUNTING = [
  'installations/:installation_id',
  'installations/:installation_id/metrics',
  'installations/:installation_id/metrics/:id',
  'installations/external',
  'installations/external/metrics',
  'installations/external/metrics/:id',
  'metric-definitions',
  'metric-definitions/:id',
  'projects',
  'projects/:project_id',
  'providers',
  'providers/:provider_id',
  'providers/external',
];

it('threads answer these reads, and nothing else', () => {
  const declared = [...statusControllers, ...messagingControllers, ...accountingControllers].flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(({ value }) => {
      const route = typeof value === 'function' ? routeOf(value) : undefined;
      return route?.declaration.anyThread
        ? Object.keys(route.paths).map((path) => `${Reflect.getMetadata(PATH_METADATA, controller)}/${path}`)
        : [];
    }),
  );
  const expected = [
    ...STATUS.map((route) => `api/v2/${route}`),
    ...MESSAGING.map((route) => `v1/projects/:project/${route}`),
    ...ACCOUNTING.map((route) => `accounting-system/${route}`),
  ];
  expect(declared.map((path) => path.replace(/\/$/, '')).sort()).toEqual(expected.sort());
});
