import { inspect } from 'node:util';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { startFailureOf } from '#api/runtime/start-failure.js';
import { asOfIn } from '#api/shared/as-of/as-of-header.js';
import { DomainError } from '#domain/shared/decider.js';
import { loadDotEnv, readSecretFiles } from '#infra/platform/config/environment.js';
import { printable } from '#infra/platform/logging/printable.js';
import { build } from '#infra/platform/program/build.js';
import { addAuditCommands } from './audit.js';
import { addAuditEventsCommands } from './audit-events.js';
import { CommandFailed, WrongUsage } from './command-failed.js';
import { addCopiesCommands } from './copies/index.js';
import { addDoctorCommand } from './doctor.js';
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

const program = new Command('logbook')
  .description(
    'Runs and looks after Logbook. Commands ask the server of LOGBOOK_URL (with LOGBOOK_OPS_KEY), else the one that has the embedded stores of the configuration open; without a server they work on the stores.',
  )
  .version(`${build.version} ${build.commit}`.trimEnd(), '-V, --version', 'the version of the program, and the commit it was built from')
  .hook('preAction', (_program, command) => {
    if (command.name() === 'serve') return; // which logs what is wrong with them
    loadDotEnv(process.env);
    readSecretFiles(process.env);
  })
  .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
  .exitOverride()
  .showHelpAfterError('(try --help)');

const SERVE_EXAMPLE = 'LOGBOOK_PORT=8081 logbook serve --roles api,projector';
const serveCommand = program
  .command('serve')
  .description('the server; ends at SIGTERM or SIGINT')
  .option('--as-of <instant or position>', 'a read-only server of that point in time; may run beside the writing one', (text) => {
    if (!asOfIn(text)) throw new InvalidArgumentError('It is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log.');
    return text;
  })
  .option('--roles <roles>', 'what this node does, instead of LOGBOOK_ROLES: api, projector, push, history, separated by commas')
  .addHelpText('after', `\nExample:\n  ${SERVE_EXAMPLE}`)
  .action(async ({ asOf, roles }: { asOf?: string; roles?: string }) => {
    const { serve } = await import('#api/hosting/server.js'); // the web framework is most of the start-up time, and no other command needs it
    const { endProcess } = await import('#api/hosting/start/end-process.js');
    await endProcess(await serve(process.env, { roles, asOf }));
  });
examples.set(serveCommand, SERVE_EXAMPLE);
addProjectionsCommands(program);
const audit = addGroup(program, 'audit', 'what happened, who did it, and proof that nothing was altered');
addAuditEventsCommands(audit);
addAuditCommands(audit);
addKeysCommands(program);
addTokenCommands(program);
addCopiesCommands(program);
addMigrateCommands(program);
addDoctorCommand(program);
addEraseCommand(program);
addMessagingCommands(program);
addManualCommands(program);

try {
  await program.parseAsync();
  process.exit();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE); // commander has said what is wrong
  const failure = startFailureOf(error);
  if (failure) complain(`${failure.message} (see ${failure.variable})`);
  else if (error instanceof Error && EXPECTED.some((kind) => error instanceof kind)) complain(error.message);
  else complain(inspect(error), { isStack: true });
  process.exit(error instanceof WrongUsage ? WRONG_USAGE : FAILED);
}
