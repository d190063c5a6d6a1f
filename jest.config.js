import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { leftToCi } from './test/left-to-ci.js';
import { testPackages } from './tools/test-packages.mjs';

/** A path among the arguments says what is to run, whole. */
const namesPaths = process.argv.slice(2).some((argument) => /(^|\/)(apps|libs|test)\//.test(argument));
const isFullRun = process.env.LOGBOOK_TEST_RUNS === 'all';
const leftOut = namesPaths || isFullRun ? [] : leftToCi;

/** Of random input: one for all workers, which take over these variables. A find of a short run stays red until it is mended. */
process.env.LOGBOOK_TEST_SEED ??= String(isFullRun ? randomInt(2 ** 31 - 1) : 1);
/** What workers start for those after them ends with this process. */
process.env.LOGBOOK_TEST_PROCESS = String(process.pid);

/** The sources behind the aliases of package.json. Jest resolves them at run time, but does not follow them when it looks for tests of changed files. */
const { imports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const aliases = Object.entries(imports).map(([alias, { source }]) => [
  `^${alias.replace('*.js', '(.*)\\.js')}$`,
  source.replace('./', '<rootDir>/').replace('*.ts', '$1'),
]);

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...Object.fromEntries(aliases), ...testPackages },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  testPathIgnorePatterns: ['/node_modules/', ...leftOut.map((path) => `<rootDir>/${path}`)],
};

/** `unit` needs nothing but Node; `integration` (`*.int-spec.ts`) uses Redis and disks; `e2e` speaks HTTP to real servers. */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts'] },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/{apps,libs,test}/**/*.int-spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] },
  ],
  globalSetup: '<rootDir>/tools/test-packages.mjs',
  /** Many tests wait for disks and other processes: some at a time also where there are only two cores. Full runs have heavier ones. */
  maxWorkers: Math.max(leftOut.length > 0 ? 4 : 3, availableParallelism() - 1),
  /** Every suite leaves its modules behind in the worker; beyond this the collector of garbage takes longer than a new worker. */
  workerIdleMemoryLimit: '800MB',
  testSequencer: '<rootDir>/test/longest-first.js',
  /** Room for machines that are busy with other things: the longest tests take 100 s alone. What hangs is found all the same. */
  testTimeout: 600_000,
  reporters: ['default', ['<rootDir>/test/count-reporter.js', { leftOut: leftOut.length }]],
  coverageProvider: 'v8',
};
