import type { Command } from 'commander';
import type { Runtime } from '#api/runtime/runtime.js';
import { exactText } from '#domain/shared/json/exact-json.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { announceStores } from './announced-stores.js';
import { serverBeside } from './beside.js';
import { CommandFailed } from './command-failed.js';
import { OpsClient } from './ops-client.js';
import { columnsOf, type TableView, textOf } from './tables.js';
import { print, remark, terminalWidth } from './terminal.js';

/*
 * Common parts of all commands (operations contract 7): `--json`, `--help` with an example, exit codes, results on standard output and
 * everything else on standard error, a running server if there is one and otherwise the configured stores.
 */

/** Exit codes. */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Differences or damage were found. */
export const FOUND = 3;

/** Result of a command. */
export type CommandOutcome = Readonly<{
  /** JSON value of the corresponding HTTP call; lists as `{ items }`. Printed with `--json`; `undefined`: nothing. */
  value?: unknown;
  /** Printed without `--json`. Default: `rows` as columns, otherwise one line per member of `value`. */
  text?: string;
  /** Rows of a command that lists. Default: the items of `value`. */
  rows?: readonly object[];
  /** Default: {@link DONE}. */
  code?: typeof DONE | typeof FAILED | typeof FOUND;
  /** Printed on standard error: why the code is not {@link DONE}, or remarks about the result. */
  message?: string;
}>;

/** See `on-stores.ts`. */
export type OnStores = typeof import('./on-stores.js');

/** Input of a command. */
export type CommandCall<Options> = Readonly<{
  /** In order; an optional one may be missing, a repeated one is a list. */
  args: readonly unknown[];
  options: Options;
  json: boolean;
  /**
   * The server of LOGBOOK_URL, otherwise the one that has the embedded stores of the configuration open; `undefined` if there is neither.
   * @throws CommandFailed it cannot be called
   */
  server(): Promise<OpsClient | undefined>;
  /**
   * Calls this server. Without one, the configured stores are announced, opened for `work`, and closed after it. Fails if there are none, and
   * creates nothing.
   * @param create creates missing stores. Default: `false`
   */
  either<T>(
    ask: (server: OpsClient) => Promise<T>,
    work: (runtime: Runtime, onStores: OnStores) => Promise<T>,
    create?: boolean,
  ): Promise<T>;
}>;

/** For commands that require a server. @throws CommandFailed */
export const serverOf = async ({ server }: Pick<CommandCall<object>, 'server'>): Promise<OpsClient> => {
  const found = await server();
  if (!found) throw new CommandFailed('this needs a running server: start it, or give LOGBOOK_URL and LOGBOOK_OPS_KEY of another one');
  return found;
};

type CommandDefinition<Options> = Readonly<{
  /** Name, and arguments in commander's form: `revoke <id>`. */
  name: string;
  description: string;
  /** An example call. */
  example: string;
  /** Set if it prints a table: columns shown on a terminal without --wide or --columns; `[]`: all. */
  lists?: readonly string[];
  /** Declares options. */
  configure?: (command: Command) => void;
  run: (call: CommandCall<Options>) => Promise<CommandOutcome>;
}>;

const server: CommandCall<object>['server'] = async () => OpsClient.of(process.env) ?? serverBeside(process.env);

const either: CommandCall<object>['either'] = async (ask, work, create = false) => {
  const running = await server();
  if (running) return ask(running);
  const onStores = await import('./on-stores.js');
  const configuration = loadConfiguration(process.env);
  announceStores(configuration, 'log and documents');
  // Only warnings are logged, so that output contains only the result.
  const runtime = await onStores.openRuntime(configuration, createLogger('warn', process.stderr), { existing: !create });
  try {
    return await work(runtime, onStores);
  } finally {
    await runtime.close();
  }
};

type TableOptions = Readonly<{ columns?: string; wide?: boolean }>;

/** On a terminal as many columns as fit, elsewhere all. */
const viewOf = ({ columns, wide = false }: TableOptions, lists: readonly string[]): TableView => {
  const width = wide ? undefined : terminalWidth();
  if (columns !== undefined) return { columns: columns.split(',').map((name) => name.trim()), preferred: lists, width };
  return { preferred: width === undefined ? [] : lists, width };
};

const itemsOf = (value: unknown): readonly object[] => (value as Readonly<{ items: readonly object[] }>).items;

const show = async (
  { value, text, rows, code = DONE, message }: CommandOutcome,
  json: boolean,
  view: TableView | undefined,
): Promise<void> => {
  if (json && value !== undefined) await print(exactText(value));
  else if (!json && text !== undefined) await print(text);
  else if (!json && view) await print(columnsOf(rows ?? itemsOf(value), view), { headed: true });
  else if (!json && value !== undefined) await print(textOf(value));
  if (message !== undefined) remark(message);
  process.exitCode = code;
};

/** Adds a command. The program reports errors of `run`, with exit code 1, or 2 for a WrongUsage. */
export const addCommand = <Options extends object = object>(parent: Command, definition: CommandDefinition<Options>): Command => {
  const { name, description, example, lists, configure, run } = definition;
  const command = parent
    .command(name)
    .description(description)
    .option('--json', 'the result as one JSON value, as the HTTP call returns it')
    .addHelpText('after', `\nExample:\n  ${example}`)
    .allowExcessArguments(false);
  if (lists)
    command
      .option('--columns <names>', 'columns to show, separated by commas; members of one with dots, such as actor.id')
      .option('--wide', 'all columns with full times and ids, even if they do not fit on the terminal');
  configure?.(command);
  examples.set(command, example);
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2);
    const { json = false, columns, wide, ...options } = command.opts<{ json?: boolean } & TableOptions>();
    const outcome = await run({ args, options: options as Options, json, server, either });
    await show(outcome, json, lists && viewOf({ columns, wide }, lists));
  });
};

/** An example call of each command. */
export const examples = new WeakMap<Command, string>();

/** A group of commands, such as `keys`. */
export const addGroup = (parent: Command, name: string, description: string): Command => parent.command(name).description(description);
