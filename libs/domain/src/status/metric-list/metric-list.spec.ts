import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type ListedMetric, type MetricListEvent, metricList } from './metric-list.js';

const given = deciderSpec(metricList);
const replaced = (...metrics: readonly ListedMetric[]): MetricListEvent => ({ type: 'MetricListReplaced', data: { metrics } });
const replace = (...metrics: readonly ListedMetric[]) => ({ type: 'ReplaceMetricList', metrics }) as const;
const [a, b] = [
  { name: 'a', tags: ['x'] },
  { name: 'b', tags: [] },
];

describe('the metric list', () => {
  it('is replaced as a whole, even by an empty one', () => {
    given().when(replace(a, b)).then(replaced(a, b));
    given(replaced(a)).when(replace(b)).then(replaced(b));
    given(replaced(a)).when(replace()).then(replaced());
  });
  it('records nothing if it is unchanged', () => {
    given().when(replace()).then();
    given(replaced(b), replaced(a)).when(replace(a)).then();
  });
});
