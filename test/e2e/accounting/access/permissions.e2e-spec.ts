import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, FORBIDDEN, TENANT, UNKNOWN_OBJECT_ID } from '#test/e2e/accounting/serving.js';
import type { AccountingClient } from '#test/support/accounting/accounting-client.js';
import { embedded } from '#test/support/deployments.js';
import { uncalled } from '#test/support/documents/all-routes.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';

/** Who gets in where: project `P`, provider `Q` in it and installation `I` of both stand in the paths and in the callers' entitlements. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  root: ['admin'],
  'system viewer': ['viewer'],
  operator: ['operations:resources:admin'],
  'operations viewer': ['operations:resources:viewer'],
  'project admin': ['P:admin'],
  'project viewer': ['P:viewer'],
  'provider admin': ['P:Q:admin'],
  'provider viewer': ['P:Q:viewer'],
  'installation admin': ['P:Q:I:admin'],
  'installation viewer': ['P:Q:I:viewer'],
  representative: ['roles:provider:Q:admin'],
  'representing viewer': ['roles:provider:Q:viewer'],
  'representative of all': ['roles:admin'],
  'admin of others': ['P2:admin', 'P:Q2:admin', 'P:Q:X:admin', 'roles:provider:Q2:admin', 'P2:Q:I:admin', 'operations:admins:admin'],
  'owner, which is no role': ['owner', 'P:owner', 'P:Q:owner', 'P:Q:I:owner', 'roles:provider:Q:owner', 'operations:resources:owner'],
  'holder of two halves': ['P:Q2:admin', 'P2:Q:viewer', 'P2:viewer', 'operations:viewer'],
  nobody: [],
};

const [ADMINS, VIEWERS] = [
  { project: 'project admin', provider: 'provider admin', installation: 'installation admin', representative: 'representative' },
  { project: 'project viewer', provider: 'provider viewer', installation: 'installation viewer', representative: 'representing viewer' },
];
const EVERYBODY = [...Object.keys(CALLERS), 'tenant root'];
const [ROOTS, READERS] = [
  ['root', 'tenant root'],
  ['root', 'tenant root', 'system viewer'],
];
const providerLevel = [ADMINS.project, ADMINS.provider, ADMINS.representative, 'representative of all'];
const providerViewers = [VIEWERS.project, VIEWERS.provider, VIEWERS.representative];

/** The permission codes of accounting contract 1.7: a for admin, av for admin and viewer. */
const MAY = {
  ANY: EVERYBODY,
  SYS: ['root'],
  OPSa: [...ROOTS, 'operator'],
  OPSav: [...READERS, 'operator', 'operations viewer', 'holder of two halves'],
  PROJa: [...ROOTS, ADMINS.project],
  PROJav: [...READERS, ADMINS.project, VIEWERS.project],
  PROVa: [...ROOTS, ...providerLevel],
  PROVav: [...READERS, ...providerLevel, ...providerViewers],
  INSTa: [...ROOTS, ...providerLevel, ADMINS.installation],
  INSTav: [...READERS, ...providerLevel, ...providerViewers, ADMINS.installation, VIEWERS.installation],
  REP: [...ROOTS, ADMINS.representative, 'representative of all'],
} as const;

/** A call that changes nothing, and what it answers to those who may. */
type Row = readonly [code: keyof typeof MAY, method: string, path: string, status: number, body?: Readonly<Record<string, string>>];

const SEARCH = { type: 'query', field: 'installation', values: 'nosuch' };
const DATES = 'start=2031-01-01&end=2031-02-01';
const crud = (path: string): readonly Row[] => [
  ['OPSa', 'POST', path, 400],
  ['OPSav', 'GET', path, 200],
  ['OPSav', 'GET', `${path}/${UNKNOWN_OBJECT_ID}`, 404],
  ['OPSa', 'PATCH', `${path}/${UNKNOWN_OBJECT_ID}`, 404, {}],
  ['OPSa', 'DELETE', `${path}/${UNKNOWN_OBJECT_ID}`, 404],
];
/** Calls with the id of an installation or provider in the path, and how their siblings by external id begin. */
const BY_ID: readonly (readonly [id: string, sibling: string, rows: readonly Row[]])[] = [
  [
    '/installations/I',
    '/installations/external',
    [
      ['INSTav', 'GET', '', 200],
      ['INSTa', 'PATCH', '', 400],
      ['INSTa', 'DELETE', '', 403],
      ['INSTav', 'GET', '/metric-definitions', 200],
      ['INSTav', 'GET', `/report?${DATES}`, 200],
      ['INSTa', 'GET', '/capacities', 200],
      ['INSTa', 'POST', '/capacities', 400],
      ['INSTa', 'PATCH', `/capacities/${UNKNOWN_OBJECT_ID}`, 404, {}],
      ['INSTa', 'POST', '/metrics', 400],
      ['INSTav', 'GET', '/metrics', 200],
      ['INSTa', 'GET', `/metrics/${UNKNOWN_OBJECT_ID}`, 404],
      ['INSTa', 'PATCH', `/metrics/${UNKNOWN_OBJECT_ID}`, 404, {}],
      ['INSTa', 'DELETE', `/metrics/${UNKNOWN_OBJECT_ID}`, 404],
    ],
  ],
  [
    '/projects/P/providers/Q',
    '/projects/P/providers/external',
    [
      ['PROVav', 'GET', '/installations', 200],
      ['PROVav', 'GET', '/metrics', 200],
      ['PROVav', 'GET', '/metric-definitions', 200],
      ['PROVav', 'GET', `/report?${DATES}`, 200],
    ],
  ],
  [
    '/providers/Q',
    '/providers/external',
    [
      ['OPSav', 'GET', '', 200],
      ['OPSa', 'PATCH', '', 400],
      ['REP', 'GET', `/report?${DATES}`, 200],
    ],
  ],
];
/** By internal id, by external id in its place, and by the sibling. */
const byEveryId: readonly Row[] = BY_ID.flatMap(([path, sibling, rows]) =>
  rows.flatMap(([code, method, rest, status, body]): Row[] => {
    const external = path.endsWith('I') ? 'F' : 'E';
    const question = `${rest.includes('?') ? '&' : '?'}externalId=${external}`;
    return [`${path}${rest}`, `${path.slice(0, -1)}${external}${rest}`, `${sibling}${rest}${question}`].map((one) =>
      body ? [code, method, one, status, body] : [code, method, one, status],
    );
  }),
);
const ROWS: readonly Row[] = [
  ['ANY', 'GET', '/operands', 200],
  ['ANY', 'GET', '/operators', 200],
  ['ANY', 'GET', '/resources', 200],
  ['ANY', 'GET', '/clients/me', 200],
  ['ANY', 'GET', '/clients/general-permissions', 200],
  ['ANY', 'POST', '/clients', 200],
  ['ANY', 'GET', '/installations/all', 200],
  ['ANY', 'GET', '/projects', 200],

  ['SYS', 'POST', '/admin/entitlements', 400],
  ['SYS', 'GET', '/admin/entitlements', 200],
  ['SYS', 'GET', `/admin/entitlements/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'PATCH', `/admin/entitlements/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'DELETE', `/admin/entitlements/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'POST', `/admin/entitlements/${UNKNOWN_OBJECT_ID}/assign/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'POST', `/admin/entitlements/${UNKNOWN_OBJECT_ID}/dissociate/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'GET', '/admin/actors', 200],
  ['SYS', 'GET', '/admin/actors/entitlements', 200],
  ['SYS', 'GET', `/admin/actors/${UNKNOWN_OBJECT_ID}/entitlements`, 404],
  ['SYS', 'POST', '/admin/oidc-tenants', 400],
  ['SYS', 'GET', '/admin/oidc-tenants', 200],
  ['SYS', 'GET', `/admin/oidc-tenants/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'PATCH', `/admin/oidc-tenants/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'DELETE', `/admin/oidc-tenants/${UNKNOWN_OBJECT_ID}`, 404],
  ['SYS', 'GET', '/admin/settings/metadata', 200],
  ['SYS', 'PUT', '/admin/settings/ENTITLEMENTS_MANAGEMENT', 400],
  ['SYS', 'GET', '/admin/version', 200],
  ['SYS', 'GET', '/admin/metrics?startDate=2031-01-01&endDate=2031-01-02', 200],
  ['SYS', 'POST', '/admin/projects', 400],
  ['SYS', 'GET', '/admin/projects', 200],
  ['SYS', 'PATCH', '/admin/projects/nosuch', 404, {}],
  ['SYS', 'DELETE', '/admin/projects/nosuch', 404],
  ['SYS', 'POST', '/admin/register-projects', 400],
  ['SYS', 'POST', '/admin/resources', 400],
  ['SYS', 'DELETE', '/admin/resources/nosuch', 404],

  ...crud('/metric-definitions'),
  ...crud('/unit-types'),
  ...crud('/metric-types'),
  ...crud('/providers'),
  ['OPSav', 'GET', '/providers/all', 200],
  ['ANY', 'POST', '/installations/search', 200, SEARCH],
  ['ANY', 'POST', '/metrics/search', 200, SEARCH],
  ['OPSav', 'POST', '/providers/search', 200, SEARCH],
  ['OPSav', 'POST', '/metric-definitions/search', 200, SEARCH],
  ['SYS', 'POST', '/projects/search', 200, SEARCH],
  ['OPSav', 'GET', '/providers/external?externalId=nosuch', 404],
  ['OPSa', 'DELETE', '/providers/external?externalId=nosuch', 404],

  ['PROJav', 'GET', '/projects/P', 200],
  ['PROJa', 'POST', '/projects/P/associate/provider/nosuch', 404],
  ['PROJa', 'POST', '/projects/P/dissociate/provider/nosuch', 404],
  ['PROJav', 'GET', '/projects/P/installations', 200],
  ['PROJav', 'GET', '/projects/P/metrics', 200],
  ['PROJav', 'GET', '/projects/P/metric-definitions', 200],
  ['PROJav', 'GET', `/projects/P/report?${DATES}`, 200],
  ...['/projects/P/groups/g', '/projects/P/users/u', '/projects/projects/P/groups/g', '/projects/projects/P/users/u'].flatMap(
    (path): Row[] => [
      ['PROJav', 'GET', `${path}/metrics`, 200],
      ['PROJav', 'GET', `${path}/report?${DATES}`, 200],
    ],
  ),

  ...byEveryId,
  ['PROJa', 'POST', '/projects/P/associate/provider/Q', 409],
  ['PROJa', 'POST', '/projects/P/associate/provider/E', 409],
  ['PROJa', 'POST', '/projects/P/associate/provider/external?externalId=E', 409],
  ['PROJa', 'POST', '/projects/P/dissociate/provider/E', 409],
  ['PROJa', 'POST', '/projects/P/dissociate/provider/external?externalId=E', 409],
  ['PROVav', 'GET', `/projects/P/providers/external/report?externalProviderId=E&${DATES}`, 200],
  ['PROVav', 'GET', '/projects/P/providers/external/metrics?externalProviderId=E', 200],
  ['PROVav', 'GET', `/providers/external/report?externalId=E&project_id=P&${DATES}`, 200],
  ['PROVa', 'POST', '/installations', 409, { project: 'P', organisation: 'Q', infrastructure: 'i', installation: 'taken' }],
  ['PROVa', 'POST', '/installations', 409, { project: 'P', organisation: 'E', infrastructure: 'i', installation: 'taken' }],

  ['REP', 'GET', `/providers/report/external?externalId=E&${DATES}`, 200],
];

/** The answer of calls whose row has 403 to those who may make them. */
const IN_USE = 'Deleting an Installation is not allowed if there are Metrics assigned to it.';

/** Not as tuples: where one is shorter than a test has parameters, jest would pass it a callback to call. */
const CALLS = ROWS.map(([code, method, path, status, body]) => ({ code, method, path, status, body }));

describe('permissions', () => {
  const scene = accountingServing(embedded);
  const clients = new Map<string, AccountingClient>();
  const ids = new Map<string, string>();
  let issuer: OidcIssuer;
  const withIds = (path: string): string => path.replaceAll(/(?<=[/=])[PQIEF](?=[/&?]|$)/g, (name) => ids.get(name) ?? name);
  const segmentsWithIds = (path: string): string[] => path.split(':').map((name) => ids.get(name) ?? name);

  beforeAll(async () => {
    const make = records(() => scene.admin);
    await scene.trustTokens();
    const [project, provider] = [await make.project(), await make.provider(undefined, { external_id: 'external-provider' })];
    await make.associate(project, provider);
    const { id } = await make.installation(project, provider, { installation: 'taken', external_id: 'external-installation' });
    await make.metric(id, (await make.definition()).metric_definition_id);
    const [otherProject, otherProvider] = [await make.project(), await make.provider()];
    const known = {
      P: project,
      Q: provider,
      I: String(id),
      P2: otherProject,
      Q2: otherProvider,
      E: 'external-provider',
      F: 'external-installation',
    };
    for (const [name, value] of Object.entries(known)) ids.set(name, value);
    for (const [caller, held] of Object.entries(CALLERS)) {
      const names = held.map((one) => {
        const segments = segmentsWithIds(one);
        return entitlement(segments.pop() ?? '', ...segments);
      });
      clients.set(caller, await scene.caller(caller, ...names));
    }
    issuer = await startOidcIssuer('/realms/other');
    expect((await scene.admin.post('/admin/oidc-tenants', { ...TENANT, issuer: issuer.url })).status).toBe(201);
    const entitlements = ['urn:other:group:usage:role=admin', entitlement('admin')];
    clients.set('tenant root', scene.withToken(await issuer.token({ voperson_id: 'v', entitlements })));
  });
  afterAll(() => issuer?.stop());

  it('are tested for every documented route, except the one that takes a secret of its own', async () => {
    const calls = ROWS.map(([_code, method, path]) => [method, path] as const);
    expect(await uncalled(scene.root, '/accounting-system', [...calls, ['POST', '/ams-listener']])).toEqual([]);
  });

  it.each(CALLS)('let $method $path answer as the table says: $code', async ({ code, method, path, status, body: sent }) => {
    const body = sent && Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, ids.get(value) ?? value]));
    const answers: Record<string, number> = {};
    const allowed: readonly string[] = MAY[code];
    const refusal = code === 'REP' ? 'You have no access to execute this operation.' : FORBIDDEN;
    for (const [caller, client] of clients) {
      const answer = await client.call(method, withIds(path), { body });
      answers[caller] = answer.status;
      const message = allowed.includes(caller) ? IN_USE : refusal;
      if (answer.status === 403) expect([caller, answer.json]).toEqual([caller, { code: 403, message }]);
    }
    expect(answers).toEqual(Object.fromEntries([...clients.keys()].map((caller) => [caller, allowed.includes(caller) ? status : 403])));
    expect((await scene.anonymous.call(method, withIds(path), { body })).status).toBe(401);
    expect((await scene.admin.call(method, withIds(path), { body })).status).toBe(status);
  });
});
