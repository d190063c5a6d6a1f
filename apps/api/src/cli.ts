import { Command, CommanderError } from 'commander';
import { InvalidConfiguration, loadConfiguration } from '#infra/config/configuration.js';
import { addKeysCommands } from './cli/keys.js';
import { addProjectionsCommands } from './cli/projections.js';
import { addTokenCommands } from './cli/tokens.js';

/** Exit codes of every command (operations contract 4): 0 done, 1 failed, 2 wrong usage. */
const FAILED = 1;
const WRONG_USAGE = 2;

const program = new Command('logbook')
  .description(
    'Runs and looks after Logbook. Works on the stores of the configuration (environment variables), beside a running server too.',
  )
  .exitOverride()
  .showHelpAfterError('(try --help)');

program
  .command('serve')
  .description('the server; ends at SIGTERM or SIGINT')
  .addHelpText('after', '\nExample:\n  LOGBOOK_PORT=8081 logbook serve')
  .action(async () => {
    const { serve } = await import('./server.js'); // the web framework is most of the start-up time, and no other command needs it
    await serve(loadConfiguration(process.env));
  });
addProjectionsCommands(program);
addKeysCommands(program);
addTokenCommands(program);

try {
  await program.parseAsync();
  process.exit(0);
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE); // commander has said what is wrong
  const expected = error instanceof InvalidConfiguration || (error instanceof Error && error.name !== 'TypeError');
  console.error(expected ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}` : error);
  process.exit(FAILED);
}
