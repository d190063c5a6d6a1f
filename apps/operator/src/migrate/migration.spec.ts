import { describe, expect, it } from '@jest/globals';
import { shownPlace } from './migration.js';

describe('places in reports', () => {
  it('tell the same collection of two dumped databases apart', () => {
    expect(shownPlace({ path: '/dump/tenant_a/reports.bson', database: 'tenant_a' }, '/dump/tenant_a/reports.bson: document 2')).toBe(
      'tenant_a/reports.bson: document 2',
    );
    expect(shownPlace({ path: '/export/tenant_a.reports.json', database: 'tenant_a' }, '/export/tenant_a.reports.json:2')).toBe(
      'tenant_a.reports.json:2',
    );
    expect(shownPlace({ path: '/export/Metric.jsonl', database: '' }, '/export/Metric.jsonl:2')).toBe('Metric.jsonl:2');
  });
});
