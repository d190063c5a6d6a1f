import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/**
 * Jest's environment for tests, in which they can also have a module loaded by Node itself, outside of it: once for all suites of a worker (see
 * support/load-once.ts).
 */
export default class extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.global[Symbol.for('logbook.require')] = (path) => require(path);
  }
}
