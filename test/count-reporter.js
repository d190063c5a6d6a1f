/** Prints `N passed, N failed` as the very last line, for `.ci/run`. A suite that dies on import counts as a failure. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
