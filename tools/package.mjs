/**
 * Puts what a server needs to run into a folder: the bundle, the packages that it leaves outside with all that they need, and the tools that start it and
 * ask for its health. What the image holds, and what a machine without containers is given.
 *
 * `npm run build && node tools/package.mjs <folder>`: a folder that is new or empty.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = ['package.json', 'LICENSE', 'tools/ensure.mjs', 'tools/health.mjs', 'tools/logbook.mjs', 'dist/server'];
/** Native code and files to serve: see tools/bundle.mjs. */
const outside = ['lmdb', 'swagger-ui-dist'];

/** Where Node finds a package that another one needs, as a path from the root; undefined: it is optional and for another platform. */
const placeOf = (name, from) => {
  for (let place = from; ; place = dirname(place)) {
    const found = join(place, 'node_modules', name);
    if (existsSync(join(root, found, 'package.json'))) return found;
    if (place === '.') return undefined;
  }
};

const packages = new Set();
const add = (name, from) => {
  const place = placeOf(name, from);
  if (place === undefined || packages.has(place)) return;
  packages.add(place);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8'));
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, place);
};
for (const name of outside) add(name, '.');

const [given] = process.argv.slice(2);
if (given === undefined || (existsSync(given) && readdirSync(given).length > 0)) {
  console.error('usage: node tools/package.mjs <folder that is new or empty>');
  process.exit(2);
}
if (!existsSync(join(root, 'dist', 'server', 'main.js'))) {
  console.error('There is no build: npm run build');
  process.exit(1);
}
const target = resolve(given);
/** Compilers and debuggers read these, servers do not. */
const isForDevelopment = (path) => /\.(d\.[cm]?ts|map)$/.test(path);
mkdirSync(target, { recursive: true });
for (const path of files) cpSync(join(root, path), join(target, path), { recursive: true });
for (const path of packages)
  cpSync(join(root, path), join(target, path), {
    recursive: true,
    dereference: true,
    filter: (source) => !isForDevelopment(source) && !(source !== join(root, path) && source.endsWith('/node_modules')),
  });
