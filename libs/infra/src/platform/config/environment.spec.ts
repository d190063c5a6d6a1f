import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InvalidConfiguration, KNOWN_VARIABLES } from './configuration.js';
import { loadDotEnv, readSecretFiles, SECRET_VARIABLES } from './environment.js';
import { unknownVariables } from './unknown-variables.js';

describe('a secret in a file', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-secrets-'));
    await writeFile(join(directory, 'key'), 'look-after-it\n');
    await writeFile(join(directory, 'empty'), '\n');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const failureOf = (environment: Record<string, string>): unknown => {
    try {
      readSecretFiles(environment);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each(SECRET_VARIABLES)('is read for %s, without the line break at its end', (name) => {
    const environment: Record<string, string | undefined> = { [`${name}_FILE`]: join(directory, 'key'), LOGBOOK_PORT: '1' };
    readSecretFiles(environment);
    expect(environment).toEqual({ [name]: 'look-after-it', LOGBOOK_PORT: '1' });
    readSecretFiles(environment); // a second time there is nothing to do
    expect(environment[name]).toBe('look-after-it');
    expect(KNOWN_VARIABLES).toContain(name);
  });

  it('that cannot be read, is empty or stands beside the value is refused by the name of the variable', () => {
    const wrong = (variables: readonly string[], message: RegExp) =>
      expect.objectContaining({ name: InvalidConfiguration.name, variables, message: expect.stringMatching(message) });
    expect(failureOf({ LOGBOOK_OPS_KEY_FILE: join(directory, 'none') })).toEqual(
      wrong(['LOGBOOK_OPS_KEY_FILE'], /cannot be read \(ENOENT\)/),
    );
    expect(failureOf({ LOGBOOK_OPS_KEY_FILE: directory })).toEqual(wrong(['LOGBOOK_OPS_KEY_FILE'], /EISDIR/));
    expect(failureOf({ LOGBOOK_OPS_KEY_FILE: join(directory, 'empty') })).toEqual(wrong(['LOGBOOK_OPS_KEY_FILE'], /is empty/));
    expect(failureOf({ REDIS_URL_FILE: join(directory, 'key'), REDIS_URL: 'redis://host' })).toEqual(
      wrong(['REDIS_URL', 'REDIS_URL_FILE'], /not both/),
    );
  });
});

describe('the file .env', () => {
  it('adds what is not set, also not the other way, and may be missing or a directory', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'logbook-dotenv-'));
    const path = join(directory, 'variables');
    await writeFile(path, 'LOGBOOK_PORT=1\nLOGBOOK_HOST=there\nLOGBOOK_OPS_KEY=old\nREDIS_URL_FILE=old\nLOGBOOK_MASTER_KEY_FILE=key\n');
    const set = { LOGBOOK_PORT: '2', LOGBOOK_OPS_KEY_FILE: 'new', REDIS_URL: 'redis://new' };
    const environment: Record<string, string | undefined> = { ...set };
    for (const file of [path, directory, join(directory, 'none')]) loadDotEnv(environment, file);
    expect(environment).toEqual({ ...set, LOGBOOK_HOST: 'there', LOGBOOK_MASTER_KEY_FILE: 'key' });
    expect(() => loadDotEnv({}, join(path, 'below'))).toThrow(InvalidConfiguration);
    await rm(directory, { recursive: true });
  });
});

describe('a variable that Logbook does not know', () => {
  it.each([
    ['LOGBOOK_PROT', 'LOGBOOK_PORT'],
    ['LOGBOOK_DATADIR', 'LOGBOOK_DATA_DIR'],
    ['logbook_port', 'LOGBOOK_PORT'],
    ['LOGBOOK_MASTERKEY_FILE', 'LOGBOOK_MASTER_KEY_FILE'],
  ])('%s is named with the one that was meant, %s', (variable, meant) => {
    expect(unknownVariables({ [variable]: 'x' })).toEqual([
      { variable, text: `${variable} is not a variable of Logbook: did you mean ${meant}?` },
    ]);
  });

  it('and resembles none is named alone', () => {
    expect(unknownVariables({ LOGBOOK_SOMETHING_ELSE: 'x' })).toEqual([
      { variable: 'LOGBOOK_SOMETHING_ELSE', text: 'LOGBOOK_SOMETHING_ELSE is not a variable of Logbook' },
    ]);
  });

  it('and was one of an earlier release is named with what to do', () => {
    expect(unknownVariables({ LOGBOOK_API_THREADS: '4' })).toEqual([
      {
        variable: 'LOGBOOK_API_THREADS',
        text: 'LOGBOOK_API_THREADS is gone: one process answers all requests of a node. Remove it; for more cores add nodes, see docs/running/nodes.md',
      },
    ]);
  });

  it('is none of those that Logbook or Kubernetes set', () => {
    const names = [
      ...KNOWN_VARIABLES,
      'LOGBOOK_URL',
      'LOGBOOK_OPS_KEY_FILE',
      'LOGBOOK_SERVICE_HOST',
      'LOGBOOK_PORT_8080_TCP',
      'LOGBOOK',
      'PATH',
    ];
    expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
    const ofOtherServices = { LOGBOOK_API_SERVICE_HOST: '10.0.0.1', LOGBOOK_API_PORT_80_TCP_ADDR: '10.0.0.1' };
    expect(unknownVariables({ ...ofOtherServices, LOGBOOK_WORKER_PORT: 'tcp://10.0.0.1:80' })).toEqual([]);
    expect(KNOWN_VARIABLES.length).toBeGreaterThan(35);
  });
});
