/**
 * Checks the description of the API that the build has made, and generates the types of a client from it into `dist/openapi/client.ts`:
 * `npm run typecheck` compiles them with the journeys of `test/client`. Does nothing where the types of this build are there.
 *
 * The rules are Redocly's recommended ones. Errors and warnings end it with code 1.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const inDist = (...names) => join(fileURLToPath(new URL('../dist', import.meta.url)), ...names);
const description = inDist('server', 'openapi.json');
const client = inDist('openapi', 'client.ts');

/** What Redocly says of the document, errors and warnings, as lines: rule, JSON pointer, text. */
const problemsIn = async (source) => {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core');
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' });
  const problems = await lintFromString({ source, config, absoluteRef: description });
  return problems.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
};

const generate = async () => {
  const { default: openapi, astToString } = await import('openapi-typescript');
  const types = astToString(await openapi(pathToFileURL(description), { silent: true }));
  mkdirSync(inDist('openapi'), { recursive: true });
  writeFileSync(`${client}.new`, types);
  renameSync(`${client}.new`, client); // whole or not at all: its presence says that this build is checked
};

const SHOWN = 20;

/** @returns whether there is nothing to say against the description */
const checkDescription = async () => {
  if (existsSync(client)) return true;
  const problems = await problemsIn(readFileSync(description, 'utf8'));
  for (const line of problems.slice(0, SHOWN)) console.error(line);
  if (problems.length > SHOWN) console.error(`and ${problems.length - SHOWN} more`);
  if (problems.length > 0) return false;
  await generate();
  return true;
};

if (!(await checkDescription())) process.exitCode = 1;
