import { statSync } from 'node:fs';

/**
 * Suites whose paths contain these start in this order: first small files with much work (a contract on several stores, writers that are killed), then those
 * that start servers again and again.
 */
const ORDER = [
  '/document-store.int-spec.',
  '/messaging-pages.int-spec.',
  '/console/status.e2e-spec.',
  '/rebuild.int-spec.',
  '/faults.e2e-spec.',
  'test/e2e/operations/',
  '.e2e-spec.',
  '.int-spec.',
  '.spec.',
];

const rankOf = ({ path }) => ORDER.findIndex((part) => path.includes(part));

/**
 * Starts long suites first, so that at the end no worker waits for one of them; of equals the larger file, as Jest does without a cache of durations.
 * The order is the same in a fresh clone and on a machine that has run the tests before.
 */
export default class LongestFirst {
  sort(tests) {
    const sizes = new Map(tests.map(({ path }) => [path, statSync(path).size]));
    return [...tests].sort((left, right) => rankOf(left) - rankOf(right) || sizes.get(right.path) - sizes.get(left.path));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
