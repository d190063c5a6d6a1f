/** Prints `N passed, N failed` as the very last line, for `.ci/run`. A suite that dies on import counts as a failure. */
export default class CountReporter {
  constructor(_configuration, { leftOut }) {
    this.leftOut = leftOut;
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const left = this.leftOut === 0 ? '' : `${this.leftOut} suites are left to .ci/run: test/left-to-ci.js\n`;
    const skipped =
      results.numPendingTests === 0
        ? ''
        : `${results.numPendingTests} tests were skipped: of full runs, or without a tool that they need\n`;
    const seed = failed === 0 ? '' : `seed of random input: LOGBOOK_TEST_SEED=${process.env.LOGBOOK_TEST_SEED}\n`;
    process.once('exit', () => process.stdout.write(`${seed}${skipped}${left}${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
