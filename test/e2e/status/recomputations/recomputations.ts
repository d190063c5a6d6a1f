import type { HttpClient, StatusRecord } from '#test/support/status-client.js';

/** Texts, bodies and calls of recomputations (status contract 11), written down independently of the implementation. */

export const REQUIRED = ['start_time', 'end_time', 'reason', 'requester_name', 'requester_email', 'report'] as const;
export const STATUSES = ['pending', 'approved', 'rejected', 'running', 'done'] as const;

export const request = (changes: object = {}) => ({
  requester_name: 'Ann <a>',
  requester_email: 'ann@example.org',
  reason: 'power & cut',
  start_time: '2015-01-10T12:00:00Z',
  end_time: '2015-01-30T23:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A', 'SITE-B'],
  ...changes,
});

export const exclusions = {
  exclude_metrics: [{ metric: 'm', hostname: 'h', service: 's', group: 'g' }, { hostname: 'only' }, {}],
  exclude_monitoring_source: [{ host: 'mon', start_time: '2015-01-10T12:00:00Z', end_time: '' }],
  applied_status_changes: [
    { metric: 'm', hostname: 'h', service: 's', group: 'g', state: 'OK' },
    { group: 'g', state: 'EXCLUDED' },
  ],
};

export const ineligible = {
  status: { message: 'Conflict', code: '404' },
  errors: [
    {
      message: 'Conflict',
      code: '404',
      details: 'status should be among values: "pending","approved","rejected","running","done"',
    },
  ],
};

/** Entries of a history without their times. */
export const statusesOf = ({ history }: StatusRecord): readonly string[] =>
  (history as readonly Readonly<{ status: string }>[]).map(({ status }) => status);

/** The calls of one user on recomputations. */
export const callsOf = (status: () => HttpClient, key: string) => {
  const path = '/recomputations';
  const one = async (id: string): Promise<StatusRecord> => {
    const { json } = await status().get(`${path}/${id}`, { key });
    return (json as { data: StatusRecord }).data;
  };
  const list = async (query = ''): Promise<readonly StatusRecord[]> => {
    const { json } = await status().get(path + query, { key });
    return (json as { root: readonly StatusRecord[] }).root;
  };
  return {
    post: (body: unknown, headers = {}) => status().post(path, { key, body, headers }),
    query: (query: string, headers = {}) => status().post(`${path}?${query}`, { key, headers }),
    put: (id: string, body: unknown) => status().put(`${path}/${id}`, { key, body }),
    get: (id = '') => status().get(id === '' ? path : `${path}/${id}`, { key }),
    one,
    list,
    remove: (id: string) => status().delete(`${path}/${id}`, { key }),
    move: (id: string, value: unknown, headers = {}) => status().post(`${path}/${id}/status`, { key, body: { status: value }, headers }),
    reset: (id: string) => status().delete(`${path}/${id}/status`, { key }),
  };
};
