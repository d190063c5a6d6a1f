import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY_VIEW } from '#api/as-of/past-read-store.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { contextAt, openTestLog, type TestLog } from '#test/support/projections/guest-list.js';
import { catalogues, projections } from './runtime/vocabulary.js';

let log: TestLog;
let keys: SubjectKeys;
let codec: EventCodec;

beforeEach(async () => {
  log = await openTestLog();
  keys = await SubjectKeys.open({ store: log.store, masterKey: log.masterKey });
  codec = new EventCodec(catalogues, keys);
});
afterEach(() => log.close());

const stored = async (category: string, type: string, data: JsonObject): Promise<RecordedEvent> => {
  const encoded = codec.encode(category, { type, data });
  return {
    id: randomUUID(),
    type,
    data: await codec.seal(encoded),
    metadata: { ...contextAt('2024-05-01T10:00:00.000Z'), schemaVersion: encoded.schemaVersion },
    stream: `${category}-1`,
    revision: 0n,
    position: 1n,
    recordedAt: 0,
  };
};

const PUSH = {
  type: 'http_endpoint',
  pushEndpoint: 'https://me:word@a.example/in?key=1',
  authorization: { type: 'autogen', value: 'value' },
  verificationHash: 'hash',
  mattermostUrl: '',
};
const PUSH_SHOWN = {
  ...PUSH,
  pushEndpoint: 'https://[secret]@a.example/in?[secret]',
  authorization: { type: 'autogen', value: '[secret]' },
  verificationHash: '[secret]',
};
const person = { firstName: 'Ada', lastName: 'L', organization: '', email: 'a@b' };
const personShown = { firstName: '[personal]', lastName: '[personal]', organization: '', email: '[personal]' };
const personErased = { firstName: '[erased]', lastName: '[erased]', organization: '', email: '[erased]' };
const databases = [{ server: 's', username: 'u', password: 'p' }];
const CONTACTS = { contacts: ['ada@example.org', 'bob@example.org'], enabled: true };
const requester = { requester_name: 'Ada', requester_email: 'a@b' };

/** `<category> <type>|<type> <subject>` and data; then the shown form, and the shown form after an erasure, as far as they differ from the data. */
type Example = readonly [of: string, data: JsonObject, shown: JsonObject, erased: JsonObject];

const token = { token: 't', tokenHash: 'h' };
const tokenShown = { token: '[secret]', tokenHash: '[secret]' };
const tokenErased = { token: '[erased]', tokenHash: '[erased]' };
const ofUser = (type: string, data: JsonObject, shown: JsonObject, erased: JsonObject): Example => [
  `messaging.accounts ${type} user-1`,
  { userId: '1', ...data },
  shown,
  erased,
];

const EXAMPLES: readonly Example[] = [
  ofUser('UserCreated', { name: 'ada', ...person, ...token }, { ...personShown, ...tokenShown }, { ...personErased, ...tokenErased }),
  ofUser('UserRevised', { name: 'ada', ...person }, personShown, personErased),
  ofUser('UserTokenRefreshed', token, tokenShown, tokenErased),
  [
    'messaging.accounts RegistrationSubmitted registration-1',
    { registrationId: '1', ...person, activationToken: 't' },
    { ...personShown, activationToken: '[secret]' },
    { ...personErased, activationToken: '[erased]' },
  ],
  [
    'messaging.resources SubscriptionCreated|PushConfigurationReplaced subscription-1',
    { subscriptionId: '1', push: PUSH },
    { push: PUSH_SHOWN },
    { push: '[erased]' },
  ],
  [
    'accounting.access ClientRegistered client-1',
    { actorId: '1', oidcId: 'o', name: 'Ada', email: '' },
    { name: '[personal]' },
    { name: '[erased]' },
  ],
  [
    'accounting.access OidcTenantCreated|OidcTenantRevised oidc-tenant-1',
    { oidcTenantId: '1', secret: 's' },
    { secret: '[secret]' },
    { secret: '[erased]' },
  ],
  [
    'status.tenants TenantRegistered|TenantRevised tenant-1',
    { tenantId: '1', email: 'a@b', databases, topology: { type: 'x', feed: 'f' } },
    { email: '[personal]', databases: [{ server: 's', username: '[secret]', password: '[secret]' }] },
    { email: '[erased]', databases: '[erased]', topology: { type: 'x', feed: '[erased]' } },
  ],
  [
    'status.tenants TenantInfoRevised tenant-1',
    { tenantId: '1', name: 'n', email: 'a@b', description: '', image: '', website: '' },
    { email: '[personal]' },
    { email: '[erased]' },
  ],
  [
    'status.tenants TenantDatabasesReplaced tenant-1',
    { tenantId: '1', databases },
    { databases: [{ server: 's', username: '[secret]', password: '[secret]' }] },
    { databases: '[erased]' },
  ],
  [
    'status.tenants TenantTopologyReplaced tenant-1',
    { tenantId: '1', topology: { type: 'x', feed: 'https://me:word@a.example/in' } },
    { topology: { type: 'x', feed: 'https://[secret]@a.example/in' } },
    { topology: { type: 'x', feed: '[erased]' } },
  ],
  [
    'status.feeds FeedReplaced tenant-1',
    { tenantId: '1', kind: 'topology', feed: { type: 'x', feed_url: 'https://me:word@a.example/in' } },
    { feed: { type: 'x', feed_url: 'https://[secret]@a.example/in' } },
    { feed: { type: 'x', feed_url: '[erased]' } },
  ],
  [
    'status.tenants TenantUserAdded user-1',
    { userId: '1', name: 'Ada', email: 'a@b', apiKey: 'k', apiKeyHash: 'h' },
    { name: '[personal]', email: '[personal]', apiKey: '[secret]', apiKeyHash: '[secret]' },
    { name: '[erased]', email: '[erased]', apiKey: '[erased]', apiKeyHash: '[erased]' },
  ],
  ['status.tenants TenantUserRevised user-1', { userId: '1', name: '', email: 'a@b' }, { email: '[personal]' }, { email: '[erased]' }],
  [
    'status.tenants TenantUserKeyRenewed user-1',
    { userId: '1', apiKey: 'k', apiKeyHash: 'h' },
    { apiKey: '[secret]', apiKeyHash: '[secret]' },
    { apiKey: '[erased]', apiKeyHash: '[erased]' },
  ],
  [
    'status.recomputation RecomputationRequested|RecomputationRevised recomputation-1',
    { id: '1', ...requester },
    { requester_name: '[personal]', requester_email: '[personal]' },
    { requester_name: '[erased]', requester_email: '[erased]' },
  ],
  ...(['endpoints', 'groups'] as const).map(
    (list) =>
      [
        `status.topology_${list} ${list === 'endpoints' ? 'TopologyEndpointsListed' : 'TopologyGroupsListed'} tenant-1`,
        { tenantId: '1', date: '2024-05-01', part: 0, parts: 1, items: [{ group: 'g', notifications: CONTACTS }, { group: 'h' }] },
        { items: [{ group: 'g', notifications: { ...CONTACTS, contacts: '[personal]' } }, { group: 'h' }] },
        { items: [{ group: 'g', notifications: { ...CONTACTS, contacts: '[erased]' } }, { group: 'h' }] },
      ] as const,
  ),
  ['ops.keys AccessKeyIssued nobody', { keyId: '1', keyHash: 'h' }, { keyHash: '[secret]' }, { keyHash: '[secret]' }],
  [
    'ops.certificates CertificateBound user-1',
    { bindingId: '1', userId: '1', subject: 'CN=ada', subjectHash: 'h' },
    { subject: '[personal]', subjectHash: '[secret]' },
    { subject: '[erased]', subjectHash: '[erased]' },
  ],
];

/** Personal members in plain text, for auditors who request them. */
const PERSONAL_MEMBERS = ['firstName', 'lastName', 'email', 'name', 'requester_name', 'requester_email', 'items', 'subject'];

describe('events as auditors are shown them', () => {
  it('have marks in place of secrets, of personal data unless asked for, and of what is erased', async () => {
    const withExample = new Set<string>();
    const ofTypes = EXAMPLES.flatMap(([of, ...forms]) => {
      const [category = '', types = '', subject = ''] = of.split(' ');
      return types.split('|').map((type) => [category, type, subject, ...forms] as const);
    });
    for (const [category, type, subject, data, shown, erased] of ofTypes) {
      withExample.add(type);
      const event = await stored(category, type, data);
      expect([type, await codec.readable(event, { personal: false })]).toEqual([type, { ...data, ...shown }]);
      const personal = Object.fromEntries(Object.entries(shown).filter(([member]) => !PERSONAL_MEMBERS.includes(member)));
      expect([type, await codec.readable(event, { personal: true })]).toEqual([type, { ...data, ...personal }]);
      await keys.destroy(subject);
      for (const asked of [false, true])
        expect([type, await codec.readable(event, { personal: asked })]).toEqual([type, { ...data, ...erased }]);
      await log.close();
      log = await openTestLog();
      keys = await SubjectKeys.open({ store: log.store, masterKey: log.masterKey });
      codec = new EventCodec(catalogues, keys);
    }
    const marked = Object.values(catalogues).flatMap((types) =>
      Object.entries(types).flatMap(([type, { marks }]) => (marks ? [type] : [])),
    );
    expect([...withExample, 'MessagePublished'].sort()).toEqual(marked.sort());
  });

  it('have messages as their hash and length', async () => {
    const event = await stored('messaging.messages', 'MessagePublished', {
      data: 'aGk=',
      attributes: { '10': 'ä', '9': 'b' },
      projectId: 'p',
    });
    expect(await codec.readable(event, { personal: true })).toEqual({
      projectId: 'p',
      // printf 'aGk=' | sha256sum; printf '{"10":"ä","9":"b"}' | sha256sum
      data: { $sha256: '96e3186af2815065fbc894de1bdadda7830527fffdba6bdd709789cf0ee79a6a', $bytes: 4 },
      attributes: { $sha256: 'de34f7e0df41679e9bc5035b2e75d3400970dce842cf54fe5ffa94a7a22e5a03', $bytes: 19 },
    });
    const empty = await stored('messaging.messages', 'MessagePublished', { data: '', projectId: 'p' });
    expect(await codec.readable(empty, { personal: false })).toEqual({ data: '', projectId: 'p' });
  });

  it('have settings that were never there as they are', async () => {
    const event = await stored('messaging.resources', 'PushConfigurationReplaced', { subscriptionId: '1', push: null });
    await keys.destroy('subscription-1');
    expect(await codec.readable(event, { personal: false })).toEqual({ subscriptionId: '1', push: null });
  });
});

it('hashes of credentials that an earlier release stored are keyed when they are read', async () => {
  const plain = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'; // SHA-256 of abc
  const event = await stored('ops.keys', 'AccessKeyIssued', { keyId: '1', keyHash: plain });
  const old = { ...event, metadata: { ...event.metadata, idempotency: { key: `${plain}.1`, body: plain } } };
  const keyed = keys.credentialHashes.of('abc');
  const { data, metadata } = await codec.decode(old);
  expect([data.keyHash, metadata.idempotency]).toEqual([keyed, { key: `${keyed}.1`, body: keyed }]);
  const current = { ...event, data: { keyId: '1', keyHash: keyed } };
  expect(await codec.decode(current)).toBe(current);
});

describe('documents as auditors are shown them', () => {
  const sealing = () => new SealedDocuments(keys, projections);
  const documentOf = async (projection: string, collection: string, key: string, document: JsonObject, personal = false) => {
    const [change] = await sealing().sealed(projection, [{ kind: 'put', collection, key, value: JSON.stringify(document) }]);
    if (change?.kind !== 'put') throw new Error('no document');
    const view = { get: async () => Buffer.from(change.value) } as unknown as ReadView;
    const found = await sealing().opened(view, projection, { personal }).get(collection, key);
    return JSON.parse(`${found}`);
  };

  it('have marks in place of secrets, personal data and what is erased', async () => {
    const user = { userId: '1', ...person, token: 't', tokenHash: 'h' };
    const read = (personal?: boolean) => documentOf('messaging.accounts', 'users', '1', user, personal);
    expect(await read()).toEqual({ ...user, ...personShown, token: '[secret]', tokenHash: '[secret]' });
    expect(await read(true)).toEqual({ ...user, token: '[secret]', tokenHash: '[secret]' });
    const subscription = { subscriptionId: '1', push: PUSH };
    expect(await documentOf('messaging.resources', 'subscriptions', 'a', subscription)).toEqual({ subscriptionId: '1', push: PUSH_SHOWN });
    const tenant = {
      id: '1',
      info: { email: 'a@b' },
      db_conf: databases,
      users: [{ id: '1', name: 'Ada', email: '', api_key: 'k', key_hash: 'h' }],
    };
    expect(await documentOf('status.tenants', 'tenants', '1', tenant)).toEqual({
      id: '1',
      info: { email: '[personal]' },
      db_conf: [{ server: 's', username: '[secret]', password: '[secret]' }],
      users: [{ id: '1', name: '[personal]', email: '', api_key: '[secret]', key_hash: '[secret]' }],
    });
    for (const subject of ['user-1', 'subscription-1', 'tenant-1']) await keys.destroy(subject);
    expect(await read(true)).toEqual({ ...user, ...personErased, token: '[erased]', tokenHash: '[secret]' });
    expect(await documentOf('messaging.resources', 'subscriptions', 'a', subscription)).toMatchObject({
      push: { type: '[erased]', pushEndpoint: '[erased]', authorization: { value: '[erased]' }, mattermostUrl: '[erased]' },
    });
    expect(await documentOf('status.tenants', 'tenants', '1', tenant)).toMatchObject({ info: { email: '[erased]' }, db_conf: '[erased]' });
  });

  it('lose their secrets, and nothing else, where no secrets are shown', async () => {
    const concealed = async (projection: string, collection: string, document: JsonObject) => {
      const stored = { ...EMPTY_VIEW, get: async () => Buffer.from(JSON.stringify(document)) };
      return JSON.parse(String(await sealing().opened(stored, projection, 'concealed').get(collection, '1')));
    };
    const user = { userId: '1', ...person, token: 't', tokenHash: 'h' };
    expect(await concealed('messaging.accounts', 'users', user)).toEqual({ ...user, token: '[secret]' });
    expect(await concealed('messaging.resources', 'subscriptions', { push: PUSH })).toEqual({ push: PUSH_SHOWN });
    expect(await concealed('messaging.resources', 'subscriptions', { push: null })).toEqual({ push: null });
    expect(await concealed('status.metrics', 'any', user)).toEqual(user);
  });
});
