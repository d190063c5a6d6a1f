import type { Command } from 'commander';
import { onRuntime } from './on-runtime.js';

/** Milliseconds of each unit of time. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 };
/** Dates end some 275,000 years from now; nobody needs more than this. */
const LONGEST = 100 * 365 * 86_400_000;

/** Milliseconds of a text such as `30d`; nothing when it is none, or longer than a hundred years. */
const durationOf = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,9})([smhdy])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  return milliseconds > 0 && milliseconds <= LONGEST ? milliseconds : undefined;
};

type Options = Readonly<{ subject: string; entitlement: readonly string[]; expires: string; json?: boolean }>;

export const addTokenCommands = (program: Command): void => {
  const token = program.command('token').description('access tokens of the accounting service, issued by this installation');

  token
    .command('issue')
    .description('makes a token and shows it; it cannot be taken back before it expires')
    .requiredOption('--subject <id>', 'who it is for: what `creator_id` shows')
    .option(
      '--entitlement <name>',
      'may be repeated; counts while ENTITLEMENTS_MANAGEMENT is oidc',
      (name: string, before: readonly string[]) => [...before, name],
      [],
    )
    .option('--expires <duration>', 'a number with s, m, h, d or y', '30d')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  logbook token issue --subject ada --expires 7d')
    .action(async ({ subject, entitlement, expires, json }: Options, command: Command) => {
      const lifetime = durationOf(expires);
      if (subject === '') command.error('error: the subject may not be empty', { exitCode: 2 });
      else if (lifetime === undefined)
        command.error(`error: ${expires} is no duration: give a number with s, m, h, d or y, such as 30d`, { exitCode: 2 });
      else {
        const issued = await onRuntime(({ ownTokens }) => ownTokens.issue({ subject, entitlements: entitlement, lifetime }));
        console.log(json ? JSON.stringify({ subject, token: issued, expires: expiryOf(issued) }) : issued);
      }
    });
};

/** From the token itself, so that what is shown is what it says. */
const expiryOf = (token: string): string => {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Readonly<{ exp: number }>;
  return new Date(payload.exp * 1_000).toISOString();
};
