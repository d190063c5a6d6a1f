import { readdirSync } from 'node:fs';
import { Cleanup } from '#test/support/cleanup.js';
import type { Attack, Outcome } from './attack.js';

const USAGE = `npm run test:attack -- [pattern ...]

Attacks servers that it starts itself, on loopback only, and prints each attack with its result.
With patterns: only attacks whose name contains one of them. The exit code is 1 when one of them did not hold.`;

/** Every module in `scenarios` exports a list `attacks`. */
const load = async (): Promise<readonly Attack[]> => {
  const folder = new URL('scenarios/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const modules = await Promise.all(
    names.sort().map((name) => import(new URL(name, folder).href) as Promise<{ attacks: readonly Attack[] }>),
  );
  return modules.flatMap(({ attacks }) => attacks);
};

const run = async (attack: Attack): Promise<Outcome> => {
  const cleanup = new Cleanup();
  try {
    return await attack.run(cleanup).finally(() => cleanup.run());
  } catch (error) {
    return { held: false, attempts: 0, detail: error instanceof Error ? error.message : String(error) };
  }
};

const patterns = process.argv.slice(2);
if (patterns.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
const chosen = (await load()).filter(({ name }) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)));
let failed = 0;
console.log('| Attack | Count | Result |\n| --- | --- | --- |');
for (const attack of chosen) {
  const { held, attempts, detail } = await run(attack);
  if (!held) failed += 1;
  console.log(`| ${attack.name} | ${attempts.toLocaleString('en')} | ${held ? '' : '**broken**: '}${detail} |`);
}
console.log(`\n${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 && chosen.length > 0 ? 0 : 1);
