import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { codeOf } from '#infra/platform/program/system-error.js';
import { InvalidConfiguration } from './configuration.js';

/** Variables that hold secrets, or URLs with some. Each may be given as a file, by the variable of the same name with `_FILE` behind it. */
export const SECRET_VARIABLES = [
  'EVENTSTORE_URL',
  'LOGBOOK_ACCOUNTING_ADMIN_TOKEN',
  'LOGBOOK_AMS_LISTENER_SECRETS',
  'LOGBOOK_AMS_VERIFICATION_HASH',
  'LOGBOOK_MASTER_KEY',
  'LOGBOOK_MESSAGING_SERVICE_TOKEN',
  'LOGBOOK_OPS_KEY',
  'LOGBOOK_SIGNING_KEY',
  'LOGBOOK_STATUS_ADMIN_KEY',
  'REDIS_URL',
] as const;

type Environment = Record<string, string | undefined>;

const reasonOf = (error: unknown): string => String(codeOf(error) ?? 'unreadable');

/** The other way to give the same secret; `undefined` if the variable is no secret. */
const otherWayTo = (name: string): string | undefined => {
  const secret = SECRET_VARIABLES.find((one) => name === one || name === `${one}_FILE`);
  return secret && (name === secret ? `${secret}_FILE` : secret);
};

/**
 * Adds the variables of the file `.env` of the working directory, if there is one; what is set already stays, a secret also if it is set the other way,
 * by itself or as a file. A directory named `.env` (a Python environment) is ignored.
 * @throws InvalidConfiguration
 */
export const loadDotEnv = (environment: Environment, path = '.env'): void => {
  try {
    const given = Object.entries(parseEnv(readFileSync(path, 'utf8')));
    const added = given.filter(([name]) => [name, otherWayTo(name) ?? name].every((one) => environment[one] === undefined));
    for (const [name, value] of added) environment[name] = value;
  } catch (error) {
    if (!['ENOENT', 'EISDIR'].includes(reasonOf(error)))
      throw new InvalidConfiguration(`the file ${path} cannot be read (${reasonOf(error)})`, [path]);
  }
};

/** Without the line break that editors and `echo` leave at the end. */
const contentOf = (variable: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new InvalidConfiguration(`wrong configuration: the file of ${variable} cannot be read (${reasonOf(error)})`, [variable]);
  }
};

/**
 * Puts the content of secret files, as containers get them, in the place of the variables that name them.
 * @throws InvalidConfiguration a file cannot be read or is empty, or a secret is given twice
 */
export const readSecretFiles = (environment: Environment): void => {
  for (const name of SECRET_VARIABLES) {
    const variable = `${name}_FILE`;
    const path = environment[variable];
    delete environment[variable];
    if (!path) continue;
    if (environment[name]) throw new InvalidConfiguration(`wrong configuration: give ${name} or ${variable}, not both`, [name, variable]);
    const content = contentOf(variable, path);
    if (content === '') throw new InvalidConfiguration(`wrong configuration: the file of ${variable} is empty`, [variable]);
    environment[name] = content;
  }
};
