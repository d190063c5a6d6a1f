import { conflict, pretty, profile, weights } from '#test/e2e/status/contract.js';
import { type Answer, type HttpClient, idOf, recordsOf } from '#test/support/status-client.js';

/** Texts, bodies and calls of reports (status contract 12), written down independently of the implementation. */

export const COMPUTATIONS = { ar: true, status: true, trends: ['flapping', 'status', 'tags'] };
export const THRESHOLDS = { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 };
export const PROFILE_KINDS = {
  metric: 'metric_profiles',
  operations: 'operations_profiles',
  aggregation: 'aggregation_profiles',
  thresholds: 'thresholds_profiles',
  weights: 'weights',
} as const;
export type ProfileType = keyof typeof PROFILE_KINDS;
type Item = Readonly<{ message: string; details: string }>;

export const items = (...errors: readonly Item[]) => ({
  status: { message: 'Unprocessable Entity', code: '422' },
  errors: errors.map(({ message, details }) => ({ message, code: '422', details })),
});
export const noProfile = (type: ProfileType, id: string): Item => ({
  message: 'Profile id not found',
  details: `No profile in ${PROFILE_KINDS[type]} was found with id ${id}`,
});
export const noType = (type: string): Item => ({ message: 'Profile type invalid', details: `Profile type ${type} is invalid` });
export const noTrend = (name: string): Item => ({ message: 'Invalid Trend Name', details: `Trends with the name:${name} doesn't exist` });
export const taken = pretty(conflict('Report with the same name already exists'));

export const report = (name: string, changes: object = {}) => ({ info: { name, description: 'd' }, ...changes });

/** The calls of one user on reports. */
export const callsOf = (status: () => HttpClient, key: string) => ({
  post: (body: unknown, headers = {}) => status().post('/reports', { key, body, headers }),
  put: (id: string, body: unknown) => status().put(`/reports/${id}`, { key, body }),
  one: (id: string) => status().get(`/reports/${id}`, { key }),
  list: (query = '') => status().get(`/reports${query}`, { key }),
  remove: (id: string) => status().delete(`/reports/${id}`, { key }),
});

/** One record of each kind of profile, made for the tenant of the key; ids by type. */
export const createProfiles = async (
  status: HttpClient,
  key: string,
  name: string,
  date = '',
): Promise<Readonly<Record<ProfileType, string>>> => {
  const create = async (kind: string, body: object) => idOf(await status.post(`/${kind}${date}`, { key, body }));
  const metric = await create('metric_profiles', { name, services: [] });
  return {
    metric,
    operations: await create('operations_profiles', profile(name)),
    aggregation: await create('aggregation_profiles', { name, metric_profile: { id: metric } }),
    thresholds: await create('thresholds_profiles', { name, rules: [] }),
    weights: await create('weights', weights(name)),
  };
};

/** The record as the contract orders its members; times are taken from the answer. */
export const recordLike = (answer: Answer, id: string, tenant: string, members: Readonly<Record<string, unknown>>) => {
  const { created, updated } = (recordsOf(answer)[0]?.info ?? {}) as { created?: string; updated?: string };
  const { weight, disabled = false, name, thresholds = THRESHOLDS, topology_schema = {}, ...rest } = members;
  return {
    id,
    tenant,
    ...(weight ? { weight } : {}),
    disabled,
    info: { name, description: 'd', created, updated },
    computations: rest.computations ?? COMPUTATIONS,
    ...(thresholds ? { thresholds } : {}),
    topology_schema,
    profiles: rest.profiles ?? [],
    filter_tags: rest.filter_tags ?? [],
  };
};

/** An event of a report that commands accept, and that the read model cannot show. */
export const unreadable = (tenantId: string, name: string) => ({
  stream: `status.reports-${tenantId}`,
  type: 'ReportCreated',
  data: {
    id: `id-of-${name}`,
    report: {
      ...report(name).info,
      weight: '',
      disabled: false,
      computations: {},
      thresholds: null,
      topology_schema: '{"no":',
      profiles: [],
      filter_tags: [],
    },
  },
});
