import { type Headers, SERVICE, SUPER, SYSTEM, TENANT, type World } from './world.js';

/** A read of a service, with the credentials of an administrator. */
export type Read = Readonly<{ route: string; method: string; path: string; headers: Headers; body?: unknown }>;
type Route = Readonly<{ method: string; url: string }>;

const SERVICES = ['/v1', '/accounting-system', '/api', '/metrics'];

/** What is of now whenever it is asked: node figures, push, versions, messages as they come, tokens for certificates. */
const OF_NOW = ['/v1/metrics', '/v1/users/usageReport', '/v1/status', '/v1/version', '/api/v2/version'];
const isOfNow = (url: string): boolean => OF_NOW.includes(url) || url.endsWith('stream') || url.endsWith(':authx509');

const headersOf = (url: string, world: World): Headers => {
  if (url === '/v1/users/profile') return { 'x-api-key': world.some('token') };
  if (url.startsWith('/v1')) return SERVICE;
  if (url.startsWith('/accounting-system')) return SYSTEM;
  if (url.startsWith('/metrics')) return { ...TENANT, accept: '*/*' };
  return url.startsWith('/api/v2/admin') ? SUPER : TENANT;
};

/** Names in what is computed. */
const COMPUTED = {
  report: '=Critical',
  groupType: '=NGI',
  supergroup: '=ROC',
  type: '=SITES',
  group: '=SITE-A',
  service: '=CE',
  endpoint: '=h1',
  metric: '=ping',
  id: '=7',
};

/** The kinds of ids of the world that stand for a parameter, by the beginning of the route, the longest first. */
const KINDS: readonly (readonly [route: string, parameters: Readonly<Record<string, string>>])[] = [
  ['/v1/registrations', { uuid: 'registration' }],
  ['/v1/users::byUUID', { uuid: 'userUuid' }],
  ['/v1/projects/:project/', { project: '=lab', topic: 'topic', subscription: 'subscription', schema: 'schema', user: 'user' }],
  ['/v1', { project: 'project', user: 'user', token: 'token' }],
  ['/accounting-system/admin/oidc-tenants', { id: 'oidc' }],
  ['/accounting-system/admin/entitlements', { id: 'entitlement' }],
  ['/accounting-system/metric-definitions', { id: 'definition' }],
  ['/accounting-system/unit-types', { id: 'unit-types' }],
  ['/accounting-system/metric-types', { id: 'metric-types' }],
  ['/accounting-system/installations', { id: 'metric', installation_id: 'installation' }],
  ['/accounting-system', { project_id: 'aproject', provider_id: 'provider', group_id: '=g', user_id: '=u@example.org', actorId: 'actor' }],
  ['/api/v2/operations_profiles', { id: 'operations_profiles' }],
  ['/api/v2/metric_profiles', { id: 'metric_profiles' }],
  ['/api/v2/aggregation_profiles', { id: 'aggregation_profiles' }],
  ['/api/v2/thresholds_profiles', { id: 'thresholds_profiles' }],
  ['/api/v2/weights', { id: 'weights' }],
  ['/api/v2/reports', { id: 'report' }],
  ['/api/v2/recomputations', { id: 'recomputation' }],
  ['/api/v2/admin/users::byID', { id: 'tenantUser' }],
  ['/api/v2/admin/tenants/:id/metric-source', { id: 'connected' }],
  ['/api/v2/admin/tenants/:id/status-notifications', { id: 'connected' }],
  ['/api/v2/admin/tenants/:id/users', { id: 'connected', userId: 'tenantUser' }],
  ['/api/v2/admin/tenants', { id: 'tenant', userId: 'tenantUser' }],
  ['/api/v2/status', COMPUTED],
  ['/api/v2/results', COMPUTED],
  ['/api/v2/trends', COMPUTED],
  ['/api/v2/topology/stats', COMPUTED],
  ['/api/v3', COMPUTED],
  ['/api/v4/nodes', { ...COMPUTED, node: '=world' }],
  ['/api/v4', COMPUTED],
  ['/api/v5', COMPUTED],
  [
    '/api/v2',
    { report: 'reportName', type: '=SITES', group: '=SITE-A', service: '=CE', endpoint: '=h1', hostname: '=h1', metric: '=ping' },
  ],
];

/** Queries without which a route does not answer. */
const QUERIES: Readonly<Record<string, string>> = {
  report: 'start=2023-01-01&end=2025-01-01',
  timeToOffset: 'time=2024-01-01T00:00:00.000Z',
  admin: 'startDate=2020-01-01&endDate=2030-01-01',
  status: 'start_time=2024-01-15T00:00:00Z&end_time=2024-01-15T23:59:59Z',
  latest: 'date=2024-01-15T00:00:00Z',
  hyphens: 'start-time=2024-01-15T00:00:00Z&end-time=2024-01-15T23:59:59Z',
  point: 'timestamp=2015-05-01T06:00:00Z',
};

const queryOf = (world: World, url: string): string => {
  const found = [
    ...(/\/report/.test(url) && url.startsWith('/acc') ? [QUERIES.report] : []),
    ...(url.includes('external') ? [`externalId=${world.some(url.includes('providers') ? 'xprovider' : 'xinstallation')}`] : []),
    ...(url.endsWith('timeToOffset') ? [QUERIES.timeToOffset] : []),
    ...(url.endsWith('admin/metrics') && url.startsWith('/acc') ? [QUERIES.admin] : []),
    ...(/^\/api\/v[23]\/(?:status|results|metric_result)\//.test(url) ? [QUERIES.status, 'exec_time=2024-01-15T12:00:00Z'] : []),
    ...(url.startsWith('/api/v4/') ? [QUERIES.status, 'report=Critical'] : []),
    ...(url.startsWith('/api/v5/') ? [QUERIES.hyphens, QUERIES.point] : []),
    ...(url.startsWith('/api/v2/latest') ? [QUERIES.latest] : []),
    ...(/^\/api\/v2\/(?:issues|trends|topology\/stats)\//.test(url) ? ['date=2024-01-15'] : []),
  ];
  return found.length > 0 ? `?${found.join('&')}` : '';
};

/** Everything a search finds. */
const SEARCH = { type: 'query', field: 'none', values: 'none', operand: 'neq' };

const PARAMETER = /::|:(\w+)(?:\(\^\[\^\/\]\+\))?/g;

/** @throws for a parameter that nothing stands for: every route is to be read */
const pathOf = (world: World, url: string): string =>
  url.replace(PARAMETER, (_, name: string | undefined) => {
    if (name === undefined) return ':';
    const kind = KINDS.find(([route, parameters]) => url.startsWith(route) && name in parameters)?.[1][name];
    if (kind === undefined) throw new Error(`nothing stands for ${name} in ${url}`);
    return encodeURIComponent(kind.startsWith('=') ? kind.slice(1) : world.some(kind));
  });

/** Every GET of the three services, and every search, each about some of what is there; days as they come. */
export const readsOf = (routes: readonly Route[], world: World, times: number): readonly Read[] =>
  routes
    .filter(({ method, url }) => SERVICES.some((prefix) => url.startsWith(`${prefix}/`)) && !isOfNow(url) && isRead(method, url))
    .flatMap(({ method, url }) => {
      const count = url.includes('/:') ? times : 1;
      const body = method === 'POST' ? { body: SEARCH } : {};
      const paths = Array.from({ length: count }, () => pathOf(world, url) + queryOf(world, url));
      return [...new Set(paths)].map((path) => ({ route: `${method} ${url}`, method, path, headers: headersOf(url, world), ...body }));
    });

const isRead = (method: string, url: string): boolean => method === 'GET' || (method === 'POST' && url.endsWith('/search'));
