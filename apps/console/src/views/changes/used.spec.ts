import { expect, it } from '@jest/globals';
import { usedText } from './used.js';

const record = (kind: string) => ({ service: 'status', kind, id: 'x', scope: null, name: 'x', deleted: false });

it('results use records of reports from their day on, and nothing else', () => {
  expect(usedText({ day: '2026-11-03', record: record('metric_profile') })).toBe(' Results from 2026-11-03 on use it.');
  expect(usedText({ day: null, record: record('topology_groups') })).toBe(' Results from its day on use it.');
  expect(usedText({ day: null, record: record('tenant') })).toBe('');
  expect(usedText()).toBe('');
});
