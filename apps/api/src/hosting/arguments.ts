const OPTION = '--roles';

/** Parsed arguments of the program. `refused`: an unknown argument. */
type Arguments = Readonly<
  { ask: 'help' } | { ask: 'version' } | { ask: 'serve'; roles: string | undefined } | { ask: 'refused'; argument: string }
>;

/**
 * `--roles <roles>` or `--roles=<roles>` replaces `LOGBOOK_ROLES`; the option without roles is invalid. An unknown argument is refused,
 * because the user expects something else than this server.
 */
export const argumentsIn = (given: readonly string[]): Arguments => {
  if (given.some((one) => one === '--help' || one === '-h')) return { ask: 'help' };
  if (given.some((one) => one === '--version' || one === '-V')) return { ask: 'version' };
  let roles: string | undefined;
  for (let at = 0; at < given.length; at += 1) {
    const argument = given[at] ?? '';
    if (argument === OPTION) roles = given[++at] || 'none';
    else if (argument.startsWith(`${OPTION}=`)) roles = argument.slice(OPTION.length + 1) || 'none';
    else return { ask: 'refused', argument };
  }
  return { ask: 'serve', roles };
};

export const HELP = `The server of Logbook; ends at SIGTERM or SIGINT. Settings come from the environment and .env: see docs/running/settings.md.

Usage: npm start -- [options]

  --roles <roles>  what this node does, instead of LOGBOOK_ROLES: api, projector, push, history, separated by commas
  -V, --version    the version of the program, and the commit it was built from
  -h, --help       this text

All other commands: npx logbook --help
`;
