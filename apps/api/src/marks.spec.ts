import { describe, expect, it } from '@jest/globals';
import { withoutPushSecrets } from '#domain/messaging/push/push-secrets.js';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { shownAs } from '#domain/shared/marks.js';
import { withoutDatabaseSecrets } from '#domain/status/tenants/tenants.js';
import { catalogues, projections } from './runtime/vocabulary.js';

/** Sealed, but not in the table of operations contract 4, so they are shown. */
const OPEN = /^(userId|before\.userId)$/;
/** Names of members that usually hold credentials or identify people. */
const SUSPICIOUS = /token|secret|password|hash|api_?key|e-?mail|firstname|lastname|organization$/i;

const PERSONAL = { firstName: 'personal', lastName: 'personal', organization: 'personal', email: 'personal' };
const TOKEN = { token: 'secret', tokenHash: 'hash' };
const PUSH = { push: withoutPushSecrets };
const TENANT = { email: 'personal', databases: withoutDatabaseSecrets, 'topology.feed': 'url' };
const API_KEY = { apiKey: 'secret', apiKeyHash: 'hash' };
const REQUESTER = { requester_name: 'personal', requester_email: 'personal' };

describe('marks of operations contract 4', () => {
  it('stand on every member of its table, in all events', () => {
    const marked = Object.entries(catalogues).flatMap(([category, types]) =>
      Object.entries(types).flatMap(([type, { marks }]) => (marks ? [[`${category} ${type}`, marks]] : [])),
    );
    expect(Object.fromEntries(marked)).toEqual({
      'ops.keys AccessKeyIssued': { keyHash: 'hash' },
      'ops.certificates CertificateBound': { subject: 'personal', subjectHash: 'hash' },
      'messaging.accounts UserCreated': { ...PERSONAL, ...TOKEN },
      'messaging.accounts UserRevised': PERSONAL,
      'messaging.accounts UserTokenRefreshed': TOKEN,
      'messaging.accounts RegistrationSubmitted': { ...PERSONAL, activationToken: 'secret' },
      'messaging.resources SubscriptionCreated': PUSH,
      'messaging.resources PushConfigurationReplaced': PUSH,
      'messaging.messages MessagePublished': { data: 'digest', attributes: 'digest' },
      'accounting.access ClientRegistered': { name: 'personal', email: 'personal' },
      'accounting.access OidcTenantCreated': { secret: 'secret' },
      'accounting.access OidcTenantRevised': { secret: 'secret' },
      'status.tenants TenantRegistered': TENANT,
      'status.tenants TenantInfoRevised': { email: 'personal' },
      'status.tenants TenantDatabasesReplaced': { databases: withoutDatabaseSecrets },
      'status.tenants TenantRevised': TENANT,
      'status.tenants TenantTopologyReplaced': { 'topology.feed': 'url' },
      'status.feeds FeedReplaced': { 'feed.feed_url': 'url' },
      'status.topology_endpoints TopologyEndpointsListed': { 'items[].notifications.contacts': 'personal' },
      'status.topology_groups TopologyGroupsListed': { 'items[].notifications.contacts': 'personal' },
      'status.tenants TenantUserAdded': { name: 'personal', email: 'personal', ...API_KEY },
      'status.tenants TenantUserRevised': { name: 'personal', email: 'personal' },
      'status.tenants TenantUserKeyRenewed': API_KEY,
      'status.recomputation RecomputationRequested': REQUESTER,
      'status.recomputation RecomputationRevised': REQUESTER,
    });
  });

  it('stand on every sealed member of events, but those that the table leaves out', () => {
    for (const types of Object.values(catalogues))
      for (const [type, { sensitive, marks = {} }] of Object.entries(types))
        expect([type, (sensitive?.members ?? []).filter((path) => !(path in marks) && !OPEN.test(path))]).toEqual([type, []]);
  });

  it('stand on the same members of the read models', () => {
    const marked = projections.flatMap(({ name, marks = {} }) =>
      Object.entries(marks).map(([collection, paths]) => [`${name} ${collection}`, paths]),
    );
    const oidc = 'secret';
    const user = { name: 'personal', email: 'personal', api_key: 'secret', key_hash: 'hash' };
    const users = Object.fromEntries(Object.entries(user).map(([path, mark]) => [`users[].${path}`, mark]));
    expect(Object.fromEntries(marked)).toEqual({
      'ops.keys keys': { keyHash: 'hash' },
      'ops.keys by-hash': { keyHash: 'hash' },
      'ops.certificates bindings': { subject: 'personal', subjectHash: 'hash' },
      'messaging.accounts users': { ...PERSONAL, ...TOKEN },
      'messaging.accounts registrations': { ...PERSONAL, activationToken: 'secret' },
      'messaging.resources subscriptions': PUSH,
      'messaging.resources subscriptions.by-id': PUSH,
      'messaging.resources subscriptions.in-order': PUSH,
      'messaging.resources subscriptions.pushed': PUSH,
      'accounting.access actors': { name: 'personal', email: 'personal' },
      'accounting.access oidc-tenants': { secret: oidc },
      'accounting.access oidc-tenants-by-id': { 'view.secret': oidc },
      'status.tenants tenants': { 'info.email': 'personal', 'topology.feed': 'url', db_conf: withoutDatabaseSecrets, ...users },
      'status.tenants users': user,
      'status.feeds feeds': { feed_url: 'url' },
      'status.day-lists topology_endpoints': { 'notifications.contacts': 'personal' },
      'status.day-lists topology_groups': { 'notifications.contacts': 'personal' },
      'status.recomputations recomputations': REQUESTER,
      'status.recomputations recomputations.ordered': REQUESTER,
    });
    for (const { name, sealed = {}, marks = {} } of projections)
      for (const [collection, sealing] of Object.entries(sealed)) {
        const unmarked = sealing.filter(({ path }) => !(path in (marks[collection] ?? {})) && !OPEN.test(path));
        expect([name, collection, unmarked]).toEqual([name, collection, []]);
        for (const { path } of sealing) if (SUSPICIOUS.test(path)) expect(marks[collection]).toHaveProperty([path]);
      }
  });
});

describe('push settings', () => {
  const shown = (push: JsonObject): Json => shownAs(withoutPushSecrets, push, { personal: true });

  it.each([
    ['https://a.example/in', 'https://a.example/in'],
    ['https://me:pw@a.example:8443/in?key=1&b#top', 'https://[secret]@a.example:8443/in?[secret]#top'],
    ['HTTPS://me@odd@a.example', 'HTTPS://[secret]@a.example'],
    ['https://a.example?key', 'https://a.example?[secret]'],
    ['https://a.example/p@th?', 'https://a.example/p@th'],
    ['', ''],
  ])('show %j as %j', (pushEndpoint, concealed) => expect(shown({ pushEndpoint })).toEqual({ pushEndpoint: concealed }));

  it('show neither authorization, verification hash nor mattermost URL', () => {
    const push = { authorization: { type: 'autogen', value: 'v' }, verificationHash: 'h', mattermostUrl: 'https://m/hook', maxMessages: 1 };
    const concealed = { verificationHash: '[secret]', mattermostUrl: '[secret]', maxMessages: 1 };
    expect(shown(push)).toEqual({ ...concealed, authorization: { type: 'autogen', value: '[secret]' } });
    const empty = { authorization: { type: '', value: '' }, verificationHash: '', mattermostUrl: '' };
    expect(shown(empty)).toEqual(empty);
  });
});

it('user names and passwords of databases are secret, empty ones shown', () => {
  const databases = [{ server: 's', username: 'u', password: '' }];
  expect(shownAs(withoutDatabaseSecrets, databases, { personal: true })).toEqual([{ server: 's', username: '[secret]', password: '' }]);
});

it.each([
  ['https://me:pw@feed.example:8443/in?scope=EGI#top', 'https://[secret]@feed.example:8443/in?scope=EGI#top'],
  ['https://feed.example/in?mail=a@b', 'https://feed.example/in?mail=a@b'],
  ['https://@feed.example', 'https://feed.example'],
  ['me:pw@feed.example/in', '[secret]@feed.example/in'],
  ['', ''],
])('of the URL %j of a feed the user info is secret: %j', (url, concealed) => {
  expect(shownAs('url', url, { personal: true })).toBe(concealed);
});
