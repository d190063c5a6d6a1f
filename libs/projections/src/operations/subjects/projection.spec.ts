import { expect, it } from '@jest/globals';
import type { KeyRange, ReadStore } from '#projections/shared/read-store.js';
import { projectionSpec, storedAfter } from '#test/support/projection-spec.js';
import { subjectsProjection } from './projection.js';
import { SubjectQueries } from './queries.js';

const given = projectionSpec(subjectsProjection);

const place = (number: number): string => `${number * 10}`.padStart(20, '0');
const eventId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const record = (service: string, kind: string, id: string, subject: string, created: number, owner: string | null = null) => ({
  service,
  kind,
  id,
  subject,
  since: place(created),
  owner,
});
const ending = (number: number, rest: object) => ({
  id: eventId(number),
  at: place(number),
  subject: null,
  owner: null,
  parts: [],
  requestedBy: 'spec',
  time: '2024-01-02T03:04:05.678Z',
  ...rest,
});

it('stores records with their subjects, including deleted ones, and their erasures', () =>
  given(
    { type: 'UserCreated', data: { userId: 'u' } },
    { type: 'UserDeleted', data: { userId: 'u' } },
    { type: 'OidcTenantCreated', data: { oidcTenantId: 'o' } },
    {
      type: 'SubjectErased',
      data: { erasureId: 'e', service: 'accounting', kind: 'oidc_tenant', id: 'o', subject: 'oidc-tenant-o', reason: 'asked for' },
    },
  ).then({
    records: {
      'messaging/user/u': record('messaging', 'user', 'u', 'user-u', 1),
      'accounting/oidc_tenant/o': record('accounting', 'oidc_tenant', 'o', 'oidc-tenant-o', 3),
    },
    endings: {
      [place(2)]: ending(2, { service: 'messaging', kind: 'user', reason: 'UserDeleted', subject: 'user-u' }),
      [place(4)]: ending(4, { id: 'e', service: 'accounting', kind: 'oidc_tenant', reason: 'asked for', subject: 'oidc-tenant-o' }),
    },
    'endings.by-id': { [eventId(2)]: place(2), e: place(4) },
    'erased.by-subject': { 'oidc-tenant-o': 'e' },
  }));

it('erases the users and recomputations of a tenant with it', () =>
  given({
    type: 'SubjectErased',
    data: { erasureId: 'e', service: 'status', kind: 'tenant', id: 't', subject: 'tenant-t', reason: 'r' },
  }).thenCollections({
    endings: {
      [place(1)]: ending(1, {
        id: 'e',
        service: 'status',
        kind: 'tenant',
        reason: 'r',
        subject: 'tenant-t',
        owner: 'tenant-t',
        parts: ['user', 'recomputation'],
      }),
    },
  }));

it('erases the registration of a messaging user with it, unless it was deleted before', () => {
  const submitted = (registrationId: string) => ({ type: 'RegistrationSubmitted', data: { registrationId } });
  const accepted = (registrationId: string, userId: string) => ({ type: 'RegistrationAccepted', data: { registrationId, userId } });
  const erased = (id: string) => ({
    type: 'SubjectErased',
    data: { erasureId: id, service: 'messaging', kind: 'user', id, subject: `user-${id}`, reason: 'r' },
  });
  const erasure = { service: 'messaging', kind: 'user', reason: 'r', parts: ['registration'] };
  given(
    submitted('kept'),
    accepted('kept', 'u'),
    submitted('gone'),
    accepted('gone', 'v'),
    { type: 'RegistrationDeleted', data: { registrationId: 'gone' } },
    erased('u'),
    erased('v'),
  ).thenCollections({
    'of-owner': {
      'messaging-user-u/registration/kept': record('messaging', 'registration', 'kept', 'registration-kept', 2, 'messaging-user-u'),
    },
    endings: {
      [place(5)]: ending(5, { service: 'messaging', kind: 'registration', reason: 'RegistrationDeleted', subject: 'registration-gone' }),
      [place(6)]: ending(6, { id: 'u', subject: 'user-u', owner: 'messaging-user-u', ...erasure }),
      [place(7)]: ending(7, { id: 'v', subject: 'user-v', owner: 'messaging-user-v', ...erasure }),
    },
  });
});

it('keeps the records of a deleted owner that were not deleted before it', () => {
  const stream = 'messaging.resources-p';
  const [kept, gone] = [
    record('messaging', 'subscription', 'kept', 'subscription-kept', 1, 'project-p'),
    record('messaging', 'subscription', 'gone', 'subscription-gone', 2, 'project-p'),
  ];
  given(
    { type: 'SubscriptionCreated', stream, data: { subscriptionId: 'kept' } },
    { type: 'SubscriptionCreated', stream, data: { subscriptionId: 'gone' } },
    { type: 'SubscriptionDeleted', stream, data: { subscriptionId: 'gone', pushed: true } },
    { type: 'ProjectDeleted', data: { projectId: 'p' } },
  ).then({
    records: { 'messaging/subscription/kept': kept, 'messaging/subscription/gone': gone },
    'of-owner': { 'project-p/subscription/kept': kept },
    endings: {
      [place(3)]: ending(3, { service: 'messaging', kind: 'subscription', reason: 'SubscriptionDeleted', subject: 'subscription-gone' }),
      [place(4)]: ending(4, {
        service: 'messaging',
        kind: 'project',
        reason: 'ProjectDeleted',
        owner: 'project-p',
        parts: ['subscription'],
      }),
    },
    'endings.by-id': { [eventId(3)]: place(3), [eventId(4)]: place(4) },
  });
});

it('keeps the installations of a deleted project of accounting that were not deleted before it', () => {
  const stream = 'accounting.project-p';
  given(
    { type: 'InstallationCreated', stream, data: { projectId: 'p', installationId: 'kept' } },
    { type: 'InstallationCreated', stream, data: { projectId: 'p', installationId: 'gone' } },
    { type: 'InstallationDeleted', stream, data: { projectId: 'p', installationId: 'gone' } },
    { type: 'ProjectDeleted', stream: 'accounting.catalogue-global', data: { projectId: 'p' } },
  ).thenCollections({
    'of-owner': {
      'accounting-project-p/installation/kept': record(
        'accounting',
        'installation',
        'kept',
        'installation-kept',
        1,
        'accounting-project-p',
      ),
    },
    endings: {
      [place(3)]: ending(3, { service: 'accounting', kind: 'installation', reason: 'InstallationDeleted', subject: 'installation-gone' }),
      [place(4)]: ending(4, {
        service: 'accounting',
        kind: 'project',
        reason: 'ProjectDeleted',
        owner: 'accounting-project-p',
        parts: ['installation'],
      }),
    },
  });
});

it('a project that is deleted again took along only what was created since it was registered again', async () => {
  const created = (installationId: string) =>
    ({ type: 'InstallationCreated', stream: 'accounting.project-p', data: { projectId: 'p', installationId } }) as const;
  const deleted = { type: 'ProjectDeleted', stream: 'accounting.catalogue-global', data: { projectId: 'p' } } as const;
  const stored = storedAfter(subjectsProjection, [created('first'), deleted, created('second'), deleted]);
  const view = {
    get: async (collection: string, key: string) => stored[collection]?.[key] ?? null,
    range: async (collection: string, { gte = '', lt = '~', reverse }: KeyRange) => {
      const found = Object.entries(stored[collection] ?? {}).filter(([key]) => key >= gte && key < lt);
      return (reverse ? found.reverse() : found).map(([key, value]) => ({ key, value }));
    },
  };
  const queries = new SubjectQueries({ view: () => view } as unknown as ReadStore);
  const ids: string[] = [];
  for await (const page of queries.erasures()) ids.push(...page.map(({ id }) => id));
  const [second, first] = [`${eventId(4)}.installation.second`, `${eventId(2)}.installation.first`];
  expect(ids).toEqual([second, first]);
  expect(await queries.erasure(first)).toMatchObject({ id: first });
  expect(await queries.erasure(`${eventId(4)}.installation.first`)).toBeUndefined();
});
