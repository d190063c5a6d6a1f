import { describe, expect, it } from '@jest/globals';
import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';
import { InvalidConfiguration, loadConfiguration } from './configuration.js';
import { bodyLimits } from './sections/http.js';

describe('configuration', () => {
  it('has defaults for everything', () => {
    expect(loadConfiguration({ PATH: '/bin', LOGBOOK_PORT: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDirectory: './data',
      eventStoreClient: 'native',
      startTimeoutSeconds: 60,
      oidcIssuers: [],
      oidcAudiences: [],
      entitlementNamespace: 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group',
      entitlementParent: 'accounting',
      publicUrl: undefined,
      corsOrigins: { messaging: ['*'], accounting: [], status: [] },
      trustedProxies: [],
      feedsData: 'agreed',
      messagingLenient: false,
      messagingStrictAcl: false,
      accountingCsvExact: false,
      messagingProjectOnApproval: true,
      messagingTokensShown: 'always',
      messagingRetentionSeconds: 604_800,
      pushAllowPrivate: false,
      roles: ['api', 'projector', 'push', 'history'],
      metricSources: [],
      resultsCallLimit: 20_000_000,
      ...bodyLimits({}, oldSpaceLimit()),
      bodyTimeoutSeconds: 30,
      drainSeconds: 0,
      console: true,
      chain: true,
      logLevel: 'info',
      accessLog: false,
    });
  });

  it('reads what is given', () => {
    const masterKey = Buffer.alloc(32, 1).toString('base64');
    expect(
      loadConfiguration({
        LOGBOOK_PORT: '0',
        LOGBOOK_HOST: '::',
        LOGBOOK_DATA_DIR: '/var/lib/logbook',
        EVENTSTORE_URL: 'esdb://user:secret@host:2113?tls=true',
        LOGBOOK_EVENTSTORE_CLIENT: 'official',
        REDIS_URL: 'rediss://host:6379/2',
        LOGBOOK_REDIS_PREFIX: 'other',
        LOGBOOK_START_TIMEOUT: '5m',
        LOGBOOK_MASTER_KEY: masterKey,
        LOGBOOK_STATUS_ADMIN_KEY: 'a-long-enough-key',
        LOGBOOK_ACCOUNTING_ADMIN_TOKEN: 'a-long-enough-token',
        LOGBOOK_OIDC_ISSUERS: 'https://one.example.org/realms/a, http://localhost:8081',
        LOGBOOK_OIDC_AUDIENCE: 'accounting, usage',
        LOGBOOK_ENTITLEMENT_NAMESPACE: 'urn:x',
        LOGBOOK_ENTITLEMENT_PARENT: 'usage',
        LOGBOOK_PUBLIC_URL: 'https://logbook.example.org/base/',
        LOGBOOK_PROJECT_CATALOGUE: 'https://projects.example.org',
        LOGBOOK_PROVIDER_CATALOGUE: '/etc/providers.json',
        LOGBOOK_PROVIDER_CATALOGUE_INTERVAL: '90m',
        LOGBOOK_AMS_LISTENER_SECRETS: 'one, two',
        LOGBOOK_AMS_LISTENER_PROJECT: 'project',
        LOGBOOK_AMS_VERIFICATION_HASH: 'hash',
        LOGBOOK_METRIC_SOURCES: 'EGI=metrics/results/refused, 0a1b=p/s',
        LOGBOOK_RESULTS_CALL_LIMIT: '1000000',
        LOGBOOK_QUOTA_PROJECT_MESSAGES: '1000',
        LOGBOOK_QUOTA_PROJECT_BYTES: '2000',
        LOGBOOK_QUOTA_TENANT_RESULTS: '3000',
        LOGBOOK_QUOTA_TENANT_BYTES: '4000',
        LOGBOOK_OPS_KEY: 'another-long-enough-key',
        LOGBOOK_CORS_ORIGINS: 'https://App.example.org:443, http://[::1]:3000',
        LOGBOOK_STATUS_CORS: 'true',
        LOGBOOK_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8,::1',
        LOGBOOK_FEEDS_DATA: 'open',
        LOGBOOK_MESSAGING_STRICT_BASE64: 'false',
        LOGBOOK_MESSAGING_STRICT_ACL: 'true',
        LOGBOOK_ACCOUNTING_CSV_EXACT: 'true',
        LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL: 'false',
        LOGBOOK_MESSAGING_TOKENS_SHOWN: 'once',
        LOGBOOK_MESSAGING_RETENTION: '36h',
        LOGBOOK_PUSH_ALLOW_PRIVATE: 'true',
        LOGBOOK_ROLES: 'push, api',
        LOGBOOK_BODY_LIMIT: '1048576',
        LOGBOOK_BODY_BUDGET: '67108864',
        LOGBOOK_BODY_TIMEOUT: '2m',
        LOGBOOK_CONSOLE: 'off',
        LOGBOOK_CHAIN: 'off',
        LOGBOOK_HISTORY: 'off',
        LOGBOOK_SIGNING_KEY: masterKey,
        LOGBOOK_ANCHOR_DIR: '/mnt/witness',
        LOGBOOK_BACKUP_DIR: '/mnt/backups',
        LOGBOOK_LOG_LEVEL: 'debug',
        LOGBOOK_ACCESS_LOG: 'true',
      }),
    ).toEqual({
      host: '::',
      port: 0,
      dataDirectory: '/var/lib/logbook',
      eventStoreUrl: 'esdb://user:secret@host:2113?tls=true',
      eventStoreClient: 'official',
      redisUrl: 'rediss://host:6379/2',
      redisPrefix: 'other',
      startTimeoutSeconds: 300,
      masterKey,
      statusAdminKey: 'a-long-enough-key',
      accountingAdminToken: 'a-long-enough-token',
      oidcIssuers: ['https://one.example.org/realms/a', 'http://localhost:8081'],
      oidcAudiences: ['accounting', 'usage'],
      entitlementNamespace: 'urn:x',
      entitlementParent: 'usage',
      publicUrl: 'https://logbook.example.org/base',
      projectCatalogue: 'https://projects.example.org',
      providerCatalogue: '/etc/providers.json',
      providerCatalogueSeconds: 5_400,
      amsListenerSecrets: ['one', 'two'],
      amsListenerProject: 'project',
      amsVerificationHash: 'hash',
      opsKey: 'another-long-enough-key',
      corsOrigins: {
        messaging: ['https://app.example.org', 'http://[::1]:3000'],
        accounting: ['https://app.example.org', 'http://[::1]:3000'],
        status: ['https://app.example.org', 'http://[::1]:3000'],
      },
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1'],
      feedsData: 'open',
      messagingLenient: true,
      messagingStrictAcl: true,
      accountingCsvExact: true,
      messagingProjectOnApproval: false,
      messagingTokensShown: 'once',
      messagingRetentionSeconds: 129_600,
      pushAllowPrivate: true,
      roles: ['api', 'push'],
      metricSources: [
        { tenant: 'EGI', project: 'metrics', subscription: 'results', deadLetterTopic: 'refused' },
        { tenant: '0a1b', project: 'p', subscription: 's', deadLetterTopic: '' },
      ],
      resultsCallLimit: 1_000_000,
      projectQuota: { messages: 1_000, bytes: 2_000 },
      tenantQuota: { messages: 3_000, bytes: 4_000 },
      bodyLimitBytes: 1_048_576,
      bodyBudgetBytes: 67_108_864,
      bodyTimeoutSeconds: 120,
      drainSeconds: 0,
      console: false,
      chain: false,
      history: false,
      signingKey: masterKey,
      anchorDirectory: '/mnt/witness',
      backupDirectory: '/mnt/backups',
      logLevel: 'debug',
      accessLog: true,
    });
  });

  it.each([
    ['does everything where nothing is said', {}, ['api', 'projector', 'push', 'history']],
    ['does everything on a shared log, too', { EVENTSTORE_URL: 'esdb://host' }, ['api', 'projector', 'push', 'history']],
    ['does what it is told to', { LOGBOOK_ROLES: 'push,history' }, ['push', 'history']],
    ['does one thing', { LOGBOOK_ROLES: 'api' }, ['api']],
  ])('%s', (_what, environment, roles) => expect(loadConfiguration(environment).roles).toEqual(roles));

  it.each(['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover', 'kurrent', 'kdb+discover'])(
    'accepts connection strings of EventStoreDB and KurrentDB: %s',
    (scheme) => expect(loadConfiguration({ EVENTSTORE_URL: `${scheme}://host` }).eventStoreUrl).toBe(`${scheme}://host`),
  );

  it.each([
    ['both stores are embedded', {}, true],
    ['the stores are shared', { EVENTSTORE_URL: 'esdb://host', REDIS_URL: 'redis://host' }, true],
    ['the role is given by name', { EVENTSTORE_URL: 'esdb://host', LOGBOOK_ROLES: 'api,history' }, true],
    ['the role is not given', { LOGBOOK_ROLES: 'api', LOGBOOK_HISTORY: 'on' }, false],
    ['it is turned off', { LOGBOOK_HISTORY: 'off' }, false],
  ])('keeps the history of read models or not, where %s', (_what, environment, history) =>
    expect(loadConfiguration(environment).history).toBe(history),
  );

  it.each([
    ['LOGBOOK_PORT', '80a'],
    ['LOGBOOK_OIDC_ISSUERS', 'https://one.example.org,nonsense'],
    ['LOGBOOK_OIDC_ISSUERS', 'ftp://one.example.org'],
    ['LOGBOOK_OIDC_ISSUERS', 'http://one.example.org'],
    ['LOGBOOK_OIDC_AUDIENCE', 'one,,two'],
    ['LOGBOOK_PUBLIC_URL', 'logbook.example.org'],
    ['LOGBOOK_PUBLIC_URL', 'https://logbook.example.org/?a=b'],
    ['LOGBOOK_PUBLIC_URL', 'https://logbook.example.org/#a'],
    ['LOGBOOK_PUBLIC_URL', 'https://ada:secret@logbook.example.org'],
    ['LOGBOOK_FEEDS_DATA', 'closed'],
    ['LOGBOOK_MESSAGING_LENIENT', 'yes'],
    ['LOGBOOK_MESSAGING_STRICT_BASE64', 'yes'],
    ['LOGBOOK_MESSAGING_STRICT_ACL', 'yes'],
    ['LOGBOOK_ACCOUNTING_CSV_EXACT', 'yes'],
    ['LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL', 'no'],
    ['LOGBOOK_MESSAGING_TOKENS_SHOWN', 'never'],
    ['LOGBOOK_MESSAGING_RETENTION', '3w'],
    ['LOGBOOK_MESSAGING_RETENTION', '0d'],
    ['LOGBOOK_PROJECT_CATALOGUE', 'projects'],
    ['LOGBOOK_PROVIDER_CATALOGUE_INTERVAL', '24'],
    ['LOGBOOK_PUSH_ALLOW_PRIVATE', 'yes'],
    ['LOGBOOK_ROLES', 'api;push'],
    ['LOGBOOK_ROLES', 'api,projectors'],
    ['LOGBOOK_ROLES', 'api,,push'],
    ['LOGBOOK_PORT', '65536'],
    ['LOGBOOK_PORT', '-1'],
    ['EVENTSTORE_URL', 'http://host'],
    ['LOGBOOK_EVENTSTORE_CLIENT', 'Official'],
    ['REDIS_URL', 'localhost:6379'],
    ['LOGBOOK_REDIS_PREFIX', 'a{b}'],
    ['LOGBOOK_START_TIMEOUT', '1h30m'],
    ['LOGBOOK_MASTER_KEY', 'c2hvcnQ='],
    ['LOGBOOK_SIGNING_KEY', 'A'.repeat(44)],
    ['LOGBOOK_STATUS_CORS', 'everybody'],
    ['LOGBOOK_CORS_ORIGINS', 'app.example.org'],
    ['LOGBOOK_CORS_ORIGINS', 'https://app.example.org/path'],
    ['LOGBOOK_CORS_ORIGINS', 'https://app.example.org:99999'],
    ['LOGBOOK_CORS_ORIGINS', 'https://one.example.org,null'],
    ['LOGBOOK_RESULTS_CALL_LIMIT', '199999'],
    ['LOGBOOK_QUOTA_PROJECT_MESSAGES', '0'],
    ['LOGBOOK_QUOTA_TENANT_BYTES', '1.5'],
    ['LOGBOOK_RESULTS_CALL_LIMIT', 'many'],
    ['LOGBOOK_METRIC_SOURCES', 'EGI'],
    ['LOGBOOK_METRIC_SOURCES', 'EGI=p'],
    ['LOGBOOK_METRIC_SOURCES', 'EGI=p/s/t/x'],
    ['LOGBOOK_TRUSTED_PROXIES', 'proxy.example.org'],
    ['LOGBOOK_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['LOGBOOK_TRUSTED_PROXIES', '0.0.0.0/0'],
    ['LOGBOOK_TRUSTED_PROXIES', '10.0.0.0/8,'],
    ['LOGBOOK_TRUSTED_PROXIES', 'fe80::1%eth0'],
    ['LOGBOOK_BODY_LIMIT', '777'],
    ['LOGBOOK_BODY_BUDGET', '1024'],
    ['LOGBOOK_BODY_TIMEOUT', '0m'],
    ['LOGBOOK_BODY_TIMEOUT', '1h'],
    ['LOGBOOK_LOG_LEVEL', 'loud'],
    ['LOGBOOK_ACCESS_LOG', 'yes'],
    ['LOGBOOK_CONSOLE', 'true'],
  ])('names %s when it is invalid, without its value', (name, value) => {
    expect(() => loadConfiguration({ [name]: value })).toThrow(InvalidConfiguration);
    expect(() => loadConfiguration({ [name]: value })).toThrow(new RegExp(`${name} must`));
    expect(() => loadConfiguration({ [name]: value })).not.toThrow(new RegExp(value));
  });

  it.each([
    ['abc', 'LOGBOOK_PORT must be a port number'],
    ['65536', 'LOGBOOK_PORT must not be greater than 65535'],
  ])('says of the port %s what is wrong with it', (port, message) => {
    expect(() => loadConfiguration({ LOGBOOK_PORT: port })).toThrow(message);
  });

  it.each([
    [{ LOGBOOK_STATUS_CORS: 'true' }, { messaging: ['*'], accounting: [], status: ['*'] }],
    [{ LOGBOOK_CORS_ORIGINS: '*' }, { messaging: ['*'], accounting: ['*'], status: ['*'] }],
    [
      { LOGBOOK_CORS_ORIGINS: 'https://a', LOGBOOK_STATUS_CORS: 'true' },
      { messaging: ['https://a'], accounting: ['https://a'], status: ['https://a'] },
    ],
  ])('allows calls from browsers according to %j', (environment, expected) =>
    expect(loadConfiguration(environment).corsOrigins).toEqual(expected),
  );

  /** In MiB: the heap, what is given, and what comes of it. */
  it.each([
    [4_096, {}, { limit: 64, budget: 256 }],
    [4_096, { limit: 100 }, { limit: 100, budget: 400 }],
    [1_024, {}, { limit: 64, budget: 116 }],
    [512, {}, { limit: 52, budget: 52 }],
    [128, {}, { limit: 4, budget: 4 }],
    [64, {}, { limit: 1, budget: 1 }],
    [128, { limit: 64, budget: 256 }, { limit: 64, budget: 256 }],
  ])('with a heap of %d MiB and %j has room for bodies as in %j', (heap, given: { limit?: number; budget?: number }, { limit, budget }) => {
    const MIB = 1024 * 1024;
    const bytes = Object.fromEntries(Object.entries(given).map(([name, mebibytes]) => [name, mebibytes * MIB]));
    expect(bodyLimits(bytes, heap * MIB)).toEqual({ bodyLimitBytes: limit * MIB, bodyBudgetBytes: budget * MIB });
  });

  it('takes a certificate with its key only', () => {
    const [certificate, key] = [{ LOGBOOK_TLS_CERT_FILE: '/tls/tls.crt' }, { LOGBOOK_TLS_KEY_FILE: '/tls/tls.key' }];
    expect(loadConfiguration({ ...certificate, ...key }).tls).toEqual({ certFile: '/tls/tls.crt', keyFile: '/tls/tls.key' });
    expect(loadConfiguration({}).tls).toBeUndefined();
    expect(() => loadConfiguration(certificate)).toThrow('LOGBOOK_TLS_KEY_FILE must be given where LOGBOOK_TLS_CERT_FILE is');
    expect(() => loadConfiguration(key)).toThrow('LOGBOOK_TLS_CERT_FILE must be given where LOGBOOK_TLS_KEY_FILE is');
  });

  it('refuses one port for both listeners', () => {
    const files = { LOGBOOK_TLS_CERT_FILE: 'cert', LOGBOOK_TLS_KEY_FILE: 'key', LOGBOOK_X509_CA_FILE: 'ca' };
    expect(loadConfiguration({ ...files, LOGBOOK_X509_PORT: '8443' }).x509).toEqual({ port: 8_443, caFile: 'ca' });
    for (const port of [{ LOGBOOK_PORT: '8443', LOGBOOK_X509_PORT: '8443' }, { LOGBOOK_X509_PORT: '8080' }])
      expect(() => loadConfiguration({ ...files, ...port })).toThrow('LOGBOOK_X509_PORT must differ from LOGBOOK_PORT');
  });

  it('names every invalid variable at once', () => {
    expect(() => loadConfiguration({ LOGBOOK_PORT: 'x', LOGBOOK_LOG_LEVEL: 'y' })).toThrow(/LOGBOOK_PORT .*LOGBOOK_LOG_LEVEL /);
  });
});
