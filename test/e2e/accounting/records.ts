import { expect } from '@jest/globals';
import type { AccountingClient } from '#test/support/accounting/accounting-client.js';
import type { Answer } from '#test/support/status-client.js';

type Json = Readonly<Record<string, unknown>>;

let made = 0;
/** A name that no other test of the suite has. */
export const fresh = (prefix: string): string => `${prefix}-${++made}`;

export const PUBLIC_URL = 'http://logbook.example';

/** The answer is this JSON, every member and nothing else. */
export const expectRecord = (answer: Answer, status: number, body: unknown): void =>
  expect([answer.status, answer.json, answer.headers.get('content-type')]).toEqual([status, body, 'application/json; charset=utf-8']);

/** The same, and `Location` tells where it is. */
export const expectCreated = (answer: Answer, path: string, body: unknown): void => {
  expectRecord(answer, 201, body);
  expect(answer.headers.get('location')).toBe(`${PUBLIC_URL}/accounting-system${path}`);
};

/** A 201 or 200 whose record is wanted. @throws otherwise */
const recordIn = (answer: Answer): Json => {
  if (answer.status !== 200 && answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json as Json;
};

export const projectBody = (id: string) => ({
  id,
  acronym: `acronym of ${id}`,
  title: 't',
  start_date: '2030-01-01',
  end_date: '2032-12-31',
  call_identifier: 'c',
});

/** Makers of records in the name of a system administrator; each returns the record as it was answered. */
export const records = (admin: () => AccountingClient) => ({
  project: async (id = fresh('project')) => {
    recordIn(await admin().post('/admin/projects', projectBody(id)));
    return id;
  },
  provider: async (id = fresh('provider'), more: object = {}) => {
    recordIn(await admin().post('/providers', { id, name: `name of ${id}`, ...more }));
    return id;
  },
  /** A project and a provider associated with it. */
  pair: async function pair(this: void) {
    const made = records(admin);
    const [project, provider] = [await made.project(), await made.provider()];
    await made.associate(project, provider);
    return { project, provider };
  },
  associate: async (project: string, provider: string) => {
    recordIn(await admin().post(`/projects/${project}/associate/provider/${provider}`));
  },
  installation: async (project: string, organisation: string, more: object = {}) =>
    recordIn(
      await admin().post('/installations', { project, organisation, infrastructure: 'i', installation: fresh('installation'), ...more }),
    ),
  resource: async (id = fresh('resource')) => {
    recordIn(await admin().post('/admin/resources', { id, name: `name of ${id}` }));
    return id;
  },
  definition: async (more: object = {}) =>
    recordIn(
      await admin().post('/metric-definitions', { metric_name: fresh('metric'), metric_type: 'count', unit_type: 'TB', ...more }),
    ) as Readonly<Record<string, string>>,
  metric: async (installation: unknown, definition: unknown) =>
    recordIn(
      await admin().post(`/installations/${installation}/metrics`, {
        metric_definition_id: definition,
        time_period_start: '2024-01-01T00:00:00Z',
        time_period_end: '2024-01-02T00:00:00Z',
        value: 1,
      }),
    ),
});
