import type { Command } from 'commander';
import { OwnTokens } from '#infra/edges/oidc/own-tokens.js';
import { CommandFailed, WrongUsage } from './command-failed.js';
import { configurationOf, isServed, logToRead } from './copies/log-stores.js';
import { masterKeyOf, servedMasterKeyOf } from './doctor/key-checks.js';
import { addCommand, addGroup } from './frame.js';
import { OpsClient } from './ops-client.js';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 };
/** Dates end some 275,000 years from now; nobody needs more than this. */
const LONGEST = 100 * 365 * 86_400_000;

/** Milliseconds of a text such as `30d`; `undefined` if it is invalid, or longer than a hundred years. */
const durationOf = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,9})([smhdy])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  return milliseconds > 0 && milliseconds <= LONGEST ? milliseconds : undefined;
};

type Options = Readonly<{ subject: string; entitlement: readonly string[]; expires: string }>;

/** Tokens of the log, by its master key. @throws NoInstallation, MissingMasterKey, CommandFailed */
const ownTokens = async (): Promise<OwnTokens> => {
  const configuration = configurationOf();
  if (isServed(configuration)) return new OwnTokens(await servedMasterKeyOf(configuration), Date.now);
  const { log, close } = await logToRead(configuration);
  try {
    return new OwnTokens(await masterKeyOf(log, configuration), Date.now);
  } finally {
    await close();
  }
};

export const addTokenCommands = (program: Command): void => {
  const token = addGroup(program, 'token', 'access tokens of the accounting service, issued by this installation');

  addCommand<Options>(token, {
    name: 'issue',
    description: 'creates a token and shows it; it cannot be revoked before it expires; needs the master key and the log, not LOGBOOK_URL',
    example: 'logbook token issue --subject ada --expires 7d',
    configure: (command) =>
      command
        .requiredOption('--subject <id>', 'its user: the value shown as `creator_id`')
        .option(
          '--entitlement <name>',
          'may be repeated; used while ENTITLEMENTS_MANAGEMENT is oidc',
          (name: string, before: readonly string[]) => [...before, name],
          [],
        )
        .option('--expires <duration>', 'a number with s, m, h, d or y', '30d'),
    run: async ({ options: { subject, entitlement, expires } }) => {
      const lifetime = durationOf(expires);
      if (OpsClient.of(process.env)) throw new CommandFailed('tokens can be created only where the master key is: unset LOGBOOK_URL');
      if (subject === '') throw new WrongUsage('error: the subject may not be empty');
      if (lifetime === undefined) throw new WrongUsage(`error: ${expires} is no duration: give a number with s, m, h, d or y, such as 30d`);
      const issued = await (await ownTokens()).issue({ subject, entitlements: entitlement, lifetime });
      return { value: { subject, token: issued, expires: expiryOf(issued) }, text: issued };
    },
  });
};

/** Read from the token itself, so that the displayed time is the actual one. */
const expiryOf = (token: string): string => {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Readonly<{ exp: number }>;
  return new Date(payload.exp * 1_000).toISOString();
};
