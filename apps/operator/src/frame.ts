import type { Command } from 'commander';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { serverBeside } from './beside.js';
import { CommandFailed } from './command-failed.js';
import { OpsClient } from './ops-client.js';
import { columnsOf, type TableView, textOf } from './tables.js';
import { print, remark, terminalWidth } from './terminal.js';

/*
 * What all commands have in common (operations contract 7): `--json`, `--help` with an example, exit codes, results on standard output and
 * everything else on standard error, a running server where there is one and otherwise the stores of the configuration.
 */

/** Exit codes. */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Differences or damage were found. */
export const FOUND = 3;

/** Result of a command. */
export type CommandOutcome = Readonly<{
  /** The JSON value of the HTTP call for the same; lists as `{ items }`. Printed with `--json`; `undefined`: nothing. */
  value?: unknown;
  /** Printed without `--json`. Default: `rows` as columns, else a line for each member of `value`. */
  text?: string;
  /** Of a command that lists. Default: the items of `value`. */
  rows?: readonly object[];
  /** Default: {@link DONE}. */
  code?: typeof DONE | typeof FAILED | typeof FOUND;
  /** For standard error: why the code is not {@link DONE}, or what is to be known besides the result. */
  message?: string;
}>;

/** Input of a command. */
export type CommandCall<Options> = Readonly<{
  /** In their order; an optional one may be missing, a repeated one is a list. */
  args: readonly unknown[];
  options: Options;
  json: boolean;
  /**
   * The server of LOGBOOK_URL, else the one that has the embedded stores of the configuration open; `undefined`: there is neither.
   * @throws CommandFailed it cannot be asked
   */
  server(): Promise<OpsClient | undefined>;
  /**
   * Asks this server. Without one the stores of the configuration are opened for `work`, and closed after it. Fails where there are none, and creates
   * nothing.
   * @param create makes stores where there are none. Default: `false`
   */
  either<T>(ask: (server: OpsClient) => Promise<T>, work: (runtime: Runtime) => Promise<T>, create?: boolean): Promise<T>;
}>;

/** For commands that only a server can do. @throws CommandFailed */
export const serverOf = async ({ server }: Pick<CommandCall<object>, 'server'>): Promise<OpsClient> => {
  const found = await server();
  if (!found) throw new CommandFailed('this needs a running server: start it, or give LOGBOOK_URL and LOGBOOK_OPS_KEY of another one');
  return found;
};

type CommandDefinition<Options> = Readonly<{
  /** Name, and arguments as commander writes them: `revoke <id>`. */
  name: string;
  description: string;
  /** A call as somebody would type it. */
  example: string;
  /** It shows a table: columns that a terminal shows without --wide or --columns; `[]`: all. */
  lists?: readonly string[];
  /** Declares options. */
  configure?: (command: Command) => void;
  run: (call: CommandCall<Options>) => Promise<CommandOutcome>;
}>;

const server: CommandCall<object>['server'] = async () => OpsClient.of(process.env) ?? serverBeside(process.env);

const either: CommandCall<object>['either'] = async (ask, work, create = false) => {
  const running = await server();
  if (running) return ask(running);
  // Only warnings are logged, so that output stays what was asked for.
  const runtime = await openRuntime(loadConfiguration(process.env), createLogger('warn', process.stderr), { existing: !create });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
};

type TableOptions = Readonly<{ columns?: string; wide?: boolean }>;

/** On a terminal what has room there, and everything elsewhere. */
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
  if (json && value !== undefined) await print(JSON.stringify(value));
  else if (!json && text !== undefined) await print(text);
  else if (!json && view) await print(columnsOf(rows ?? itemsOf(value), view), { headed: true });
  else if (!json && value !== undefined) await print(textOf(value));
  if (message !== undefined) remark(message);
  process.exitCode = code;
};

/** Adds a command. What `run` throws is reported by the program, with exit code 1, or 2 for a WrongUsage. */
export const addCommand = <Options extends object = object>(parent: Command, definition: CommandDefinition<Options>): Command => {
  const { name, description, example, lists, configure, run } = definition;
  const command = parent
    .command(name)
    .description(description)
    .option('--json', 'the result as one JSON value, as HTTP answers it')
    .addHelpText('after', `\nExample:\n  ${example}`)
    .allowExcessArguments(false);
  if (lists)
    command
      .option('--columns <names>', 'which columns, separated by commas; parts of one by dots, such as actor.id')
      .option('--wide', 'on a terminal too all columns, with whole times and ids, however wide');
  configure?.(command);
  examples.set(command, example);
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2);
    const { json = false, columns, wide, ...options } = command.opts<{ json?: boolean } & TableOptions>();
    const outcome = await run({ args, options: options as Options, json, server, either });
    await show(outcome, json, lists && viewOf({ columns, wide }, lists));
  });
};

/** A call of each command as somebody would type it. */
export const examples = new WeakMap<Command, string>();

/** A group of commands, such as `keys`. */
export const addGroup = (parent: Command, name: string, description: string): Command => parent.command(name).description(description);
