import { openRuntime, type Runtime } from '#api/runtime.js';
import { loadConfiguration } from '#infra/config/configuration.js';
import { createLogger } from '#infra/logging/logger.js';

/** Opens the stores of the configuration for one command; only warnings are logged, so that output stays what was asked for. */
export const onRuntime = async <T>(work: (runtime: Runtime) => Promise<T>): Promise<T> => {
  const configuration = loadConfiguration(process.env);
  const runtime = await openRuntime(configuration, createLogger('warn', process.stderr));
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
};

/** Rows as JSON, or as columns for people. */
export const printRows = (rows: readonly Readonly<Record<string, unknown>>[], json: boolean): void => {
  if (json) return void console.log(JSON.stringify({ items: rows }));
  const [first] = rows;
  if (!first) return void console.log('none');
  const columns = Object.keys(first);
  const lines = [columns, ...rows.map((row) => columns.map((column) => `${row[column] ?? '-'}`))];
  const widths = columns.map((_, index) => lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0));
  for (const line of lines)
    console.log(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};
