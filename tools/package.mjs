/**
 * Puts what a server needs to run into a folder: the bundle, the packages that it leaves outside with all that they need, and the tools that start it and
 * ask for its health. What the image holds, and what a machine without containers is given.
 *
 * `npm run build && node tools/package.mjs <folder>`: a folder that is new or empty. `npm pack <folder>` makes an archive of it for `npm install --global`.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outside } from './bundling.mjs';
import { manifestOf, packagesBeside, root } from './packages.mjs';

const files = ['LICENSE', 'docs/logbook.1', 'tools/ensure.mjs', 'tools/health.mjs', 'tools/logbook.mjs', 'dist/server'];
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
const { name, version, description, license, repository, type, engines, bin, man } = manifestOf('.');
const dependencies = Object.fromEntries(outside.map((one) => [one, manifestOf(join('node_modules', one)).version]));
// Native code is another one on another platform; the rest goes into the archive, with our stand-in for the package that calls home.
const bundleDependencies = outside.filter((one) => one !== 'lmdb');
const manifest = {
  name,
  version,
  description,
  license,
  private: true,
  repository,
  type,
  engines,
  bin,
  man,
  dependencies,
  bundleDependencies,
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
for (const path of packagesBeside())
  cpSync(join(root, path), join(target, path), {
    recursive: true,
    dereference: true,
    filter: (source) => !isForDevelopment(source) && !(source !== join(root, path) && source.endsWith('/node_modules')),
  });
