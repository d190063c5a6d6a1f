import { expect } from '@jest/globals';
import type { AccountingClient } from '#test/support/accounting/accounting-client.js';

/** Texts, bodies and calls of usage reports (accounting contract 6); the worked examples are ten years earlier, for metrics are never in the future. */

export type Definition = Readonly<Record<string, string>>;
export type Period = Readonly<{ from: string; to: string; total_value: number; capacity_value?: number; usage_percentage?: number }>;
export type InstallationReport = Readonly<{
  installation_id: string;
  data: readonly (Definition & Readonly<{ periods: readonly Period[] }>)[];
}>;
export type Measured = readonly [start: string, end: string, value: number | string, more?: object];

export const MARCH = 'start=2021-03-01&end=2021-04-01';
export const [S, E] = ['2021-03-01T00:00:00Z', '2021-04-01T00:00:00Z'];
/** `03-02` is midnight of that day, `03-31T12` noon. */
export const instant = (short: string): string => `2021-${short.includes('T') ? short : `${short}T00`}:00:00Z`;

/** The metrics of example B. */
export const B: readonly Measured[] = [
  ['03-05', '03-06', 12],
  ['03-12', '03-13', 30],
  ['03-18', '03-20', 25],
  ['03-20T12', '03-21T12', 9],
  ['03-22', '03-23', 50],
];

/** Calls that record usage of a definition, in the name of a system administrator. */
export const usage = (admin: () => AccountingClient) => ({
  record: async (installation: unknown, metrics: readonly Measured[], definition: Definition | undefined): Promise<void> => {
    for (const [start, end, value, more] of metrics) {
      const period = { time_period_start: instant(start), time_period_end: instant(end) };
      const body = { metric_definition_id: definition?.metric_definition_id, ...period, value, ...more };
      const answer = await admin().post(`/installations/${installation}/metrics`, body);
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    }
  },
  register: async (
    installation: unknown,
    capacities: readonly (readonly [string, number])[],
    definition: Definition | undefined,
  ): Promise<void> => {
    for (const [registered_on, value] of capacities) {
      const body = { metric_definition_id: definition?.metric_definition_id, value, registered_on };
      expect((await admin().post(`/installations/${installation}/capacities`, body)).status).toBe(200);
    }
  },
  report: async (installation: unknown, range = MARCH): Promise<InstallationReport> => {
    const { status, json } = await admin().get(`/installations/${installation}/report?${range}`);
    expect(status).toBe(200);
    return json as InstallationReport;
  },
});
