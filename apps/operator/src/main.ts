import { inspect } from 'node:util';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { startFailureOf } from '#api/runtime/start-failure.js';
import { asOfIn } from '#api/shared/as-of/as-of-header.js';
import { DomainError } from '#domain/shared/decider.js';
import { type Configuration, loadConfiguration, rolesIn } from '#infra/platform/config/configuration.js';
import { loadDotEnv, readSecretFiles } from '#infra/platform/config/environment.js';
import { printable } from '#infra/platform/logging/printable.js';
import { build } from '#infra/platform/program/build.js';
import { addAuditEventsCommands } from './audit/audit-events.js';
import { addAuditCommands } from './audit/index.js';
import { addChangesCommand } from './changes.js';
import { CommandFailed, WrongUsage } from './command-failed.js';
import { addCopiesCommands } from './copies/index.js';
import { addDoctorCommand } from './doctor/index.js';
import { addEraseCommand } from './erase.js';
import { addGroup, examples, FAILED, WRONG_USAGE } from './frame.js';
import { addKeysCommands } from './keys.js';
import { addManualCommands } from './manual/index.js';
import { addMessagingCommands } from './messaging.js';
import { addMigrateCommands } from './migrate/index.js';
import { addProjectionsCommands } from './projections.js';
import { complain } from './terminal.js';
import { addTokenCommands } from './tokens.js';

/** Errors caused by the request; any other error is a bug, and shows its stack. */
const EXPECTED = [CommandFailed, DomainError];

/** `undefined` if it is invalid. */
const configurationIfValid = (): Configuration | undefined => {
  try {
    return loadConfiguration(process.env);
  } catch {
    return undefined;
  }
};

/** Recognises file system errors, such as a full disk. */
const isOfFile = (error: Error): boolean => 'syscall' in error && 'path' in error;

const program = new Command('logbook')
  .description(
    'Runs and administers Logbook. Commands call the server of LOGBOOK_URL (with LOGBOOK_OPS_KEY), otherwise the one that has the embedded stores of the configuration open; without a server they work on the stores.',
  )
  .version(`${build.version} ${build.commit}`.trimEnd(), '-V, --version', 'the version of the program, and the commit it was built from')
  .hook('preAction', (_program, command) => {
    if (command.name() === 'serve') return; // the server logs problems with them
    loadDotEnv(process.env);
    readSecretFiles(process.env);
  })
  .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
  .exitOverride()
  .showHelpAfterError('(try --help)');

const SERVE_EXAMPLE = 'LOGBOOK_PORT=8081 logbook serve --roles api,projector';
const serveCommand = program
  .command('serve')
  .description('runs the server; it ends on SIGTERM or SIGINT')
  .option(
    '--as-of <instant or position>',
    'serves that point in time read-only; asks the server of the data directory, if one runs',
    (text) => {
      if (!asOfIn(text)) throw new InvalidArgumentError('It is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log.');
      return text;
    },
  )
  .option('--roles <roles>', 'roles of this node, instead of LOGBOOK_ROLES: api, projector, push, history, separated by commas', (text) => {
    rolesIn(text, (must) => {
      throw new InvalidArgumentError(`It ${must}.`);
    });
    return text;
  })
  .addHelpText('after', `\nExample:\n  ${SERVE_EXAMPLE}`)
  .action(async ({ asOf, roles }: { asOf?: string; roles?: string }) => {
    const { serve } = await import('#api/hosting/server.js'); // most of the start-up time, and needed by no other command
    const { endProcess } = await import('#api/hosting/start/end-process.js');
    await endProcess(await serve(process.env, { roles, asOf }));
  });
examples.set(serveCommand, SERVE_EXAMPLE);
addProjectionsCommands(program);
const audit = addGroup(program, 'audit', 'events, their actors, and proof that nothing was altered');
addAuditEventsCommands(audit);
addAuditCommands(audit);
addKeysCommands(program);
addTokenCommands(program);
addCopiesCommands(program);
addMigrateCommands(program);
addDoctorCommand(program);
addEraseCommand(program);
addMessagingCommands(program);
addChangesCommand(program);
addManualCommands(program);

try {
  await program.parseAsync();
  process.exit();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE); // commander has reported the error
  const failure = startFailureOf(error, configurationIfValid());
  if (failure) complain(`${failure.message} (see ${failure.variable})`);
  else if (error instanceof Error && (isOfFile(error) || EXPECTED.some((kind) => error instanceof kind))) complain(error.message);
  else complain(inspect(error), { isStack: true });
  process.exit(error instanceof WrongUsage ? WRONG_USAGE : FAILED);
}
