import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { alertRules, expressions, panels, RULES, RULES_TEST } from './monitoring-files.js';

const promtool = (...given: readonly string[]) => spawnSync('promtool', given, { encoding: 'utf8' });
const test = promtool('--version').status === 0 ? it : it.skip;

/** With what Grafana puts in place of its variables. */
const filledIn = (expression: string): string => expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');

describe('deploy/monitoring (promtool on the PATH, Debian package prometheus)', () => {
  test('rules are valid, and fire when they should', () => {
    const checked = promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES);
    expect([checked.status, checked.stderr]).toEqual([0, '']);
    const tested = promtool('test', 'rules', RULES_TEST);
    expect([tested.status, tested.stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test('queries of the dashboard are valid', () => {
    const directory = mkdtempSync(join(tmpdir(), 'logbook-dashboard-'));
    try {
      const file = join(directory, 'queries.yaml');
      const rules = expressions().map((expr, index) => ({ record: `query:number${index}`, expr: filledIn(expr) }));
      writeFileSync(file, dump({ groups: [{ name: 'queries', rules }] }));
      const checked = promtool('check', 'rules', file);
      expect([checked.status, checked.stderr]).toEqual([0, '']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('has alerts and panels with names of their own', () => {
    const alerts = alertRules().map(({ alert }) => alert);
    expect(new Set(alerts).size).toBe(alerts.length);
    const ids = panels().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
