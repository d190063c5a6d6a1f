import { existsSync, readFileSync } from 'node:fs';

/** Finds the package.json of this program from the location of this file. */
const packageFile = (from: string): URL => {
  const file = new URL('package.json', from);
  return existsSync(file) || file.pathname === '/package.json' ? file : packageFile(new URL('..', from).href);
};

/** The version of this program. */
export const version: string = (JSON.parse(readFileSync(packageFile(import.meta.url), 'utf8')) as Readonly<{ version: string }>).version;
