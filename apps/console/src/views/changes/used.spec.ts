import { expect, it } from '@jest/globals';
import { usedText } from './used.js';

const record = (kind: string) => ({ service: 'status', kind, id: 'x', scope: null, name: 'x', deleted: false });

it('results use records of reports until the next one by day, and nothing else', () => {
  expect(usedText({ day: '2026-11-03', record: record('metric_profile') })).toBe(
    ' Results use it from 2026-11-03 until the day of the next snapshot.',
  );
  expect(usedText({ day: null, record: record('topology_groups') })).toBe(' Results use it from its day until the day of the next list.');
  expect(usedText({ day: null, record: record('downtimes') })).toBe(' The reliability of its day leaves out these downtimes.');
  expect(usedText({ day: null, record: record('tenant') })).toBe('');
  expect(usedText()).toBe('');
});
