import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TimeOfCall } from '#api/shared/as-of/time-of-call.js';
import { type Configuration, NODE_ROLES } from '#infra/platform/config/configuration.js';
import { printable } from '#infra/platform/logging/printable.js';
import { build } from '#infra/platform/program/build.js';

/** Returns whether the output is a terminal. */
export const isTerminal = (output: NodeJS.WritableStream): boolean => 'isTTY' in output && output.isTTY === true;

/** Line for a user whose server did not start, on a terminal. `variable`: the one to correct. */
export const whyNot = ({ message, variable }: Readonly<{ message: string; variable?: string | undefined }>): string => {
  const named = variable === undefined || message.includes(variable) ? message : `${message} (${variable})`;
  return `${printable(`Logbook did not start: ${named}`)}\n`;
};

type Settings = Pick<Configuration, 'roles' | 'console' | 'publicUrl' | 'dataDirectory' | 'eventStoreUrl' | 'redisUrl'>;

/**
 * Text for a user who has started a server on a terminal: the main addresses, one per line.
 * @param url address on which it listens
 * @param asOf point in time that it shows; `undefined` for the present
 */
export const whereToGo = (
  url: string,
  { roles, console, publicUrl, dataDirectory, eventStoreUrl, redisUrl }: Settings,
  asOf?: TimeOfCall,
): string => {
  const start = (publicUrl ?? url).replace(/\/+$/, '');
  const isApi = roles.includes('api');
  const credentials = resolve(dataDirectory, 'credentials.json');
  const stores = [...(eventStoreUrl ? ['log in EventStoreDB'] : []), ...(redisUrl ? ['read models in Redis'] : []), resolve(dataDirectory)];
  const places: readonly (readonly [string, string])[] = [
    ...(isApi && console ? [['console', `${start}/console`] as const] : []),
    isApi ? ['API', `${start}/docs`] : ['health', `${start}/health`],
    ...(existsSync(credentials) ? [['keys', `${credentials} (of the first administrators)`] as const] : []),
    ['data', stores.join(', ')],
  ];
  const moment = asOf ? ` as of position ${asOf.moment?.position ?? 0n}` : '';
  const only = NODE_ROLES.every((role) => roles.includes(role)) ? '' : ` (${roles.join(', ')})`;
  const lines = [
    `Logbook ${build.version} serves ${start}${moment}${only}`,
    ...places.map(([name, place]) => `  ${name.padEnd(9)}${place}`),
  ];
  return `${printable(lines.join('\n'))}\n  Ctrl-C ends it.\n`;
};
