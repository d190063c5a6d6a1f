import { availableParallelism } from 'node:os';
import { testPackages } from './tools/test-packages.mjs';

/**
 * Workers, and the servers that tests start (test/support/logbook-process.ts), optimise code later than V8 does by default: most of them live for
 * seconds and end before that pays. It saves a seventh of their processor time. Later releases of Node do not know the option and wait by themselves.
 */
if (process.versions.node.startsWith('20.')) process.execArgv.push('--interrupt-budget=300000');

const shared = {
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...testPackages },
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'source'] },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
};

/** `unit` needs nothing but Node; `integration` (`*.int-spec.ts`) uses Redis and disks; `e2e` speaks HTTP to real servers. */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts'] },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/{apps,libs,test}/**/*.int-spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] },
  ],
  globalSetup: '<rootDir>/tools/test-packages.mjs',
  /** Most tests wait for disks and other processes: more at a time than there are cores. */
  maxWorkers: availableParallelism() + 1,
  /** Every suite leaves its modules behind in the worker; beyond this the collector of garbage takes longer than a new worker. */
  workerIdleMemoryLimit: '800MB',
  testSequencer: '<rootDir>/test/longest-first.js',
  /** For machines that are busy with other things; what hangs is found all the same. */
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/test/count-reporter.js'],
  coverageProvider: 'v8',
};
