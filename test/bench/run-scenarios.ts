import type { Scenario } from './scenario.js';

/** What came of the scenarios, and how many gave nothing because something went wrong. */
export type Outcome<Result> = Readonly<{ results: readonly Result[]; failed: number }>;

/** Measures one scenario after another until it is told to end. `shown` is called with each result and all so far. */
export const runScenarios = async <Result>(
  chosen: readonly Scenario[],
  signal: AbortSignal,
  measure: (scenario: Scenario) => Promise<Result>,
  shown: (result: Result, all: readonly Result[]) => void,
): Promise<Outcome<Result>> => {
  const results: Result[] = [];
  for (const scenario of chosen) {
    try {
      const result = await measure(scenario);
      results.push(result);
      shown(result, results);
    } catch (error) {
      if (signal.aborted) break;
      console.error(`${scenario.name} failed:`, error);
    }
  }
  return { results, failed: chosen.length - results.length };
};
