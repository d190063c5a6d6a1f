/** The packages of others that an installation consists of: those whose code is in the bundle, and those that lie beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outside } from './bundling.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The manifest of a package. `place`: its folder, from the root. */
export const manifestOf = (place) => JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8'));

/** Where Node finds a package that another one needs, as a path from the root; undefined: it is optional and for another platform. */
const placeOf = (name, from) => {
  for (let place = from; ; place = dirname(place)) {
    const found = join(place, 'node_modules', name);
    if (existsSync(join(root, found, 'package.json'))) return found;
    if (place === '.') return undefined;
  }
};

/** Places of the packages that a package needs. `place`: its own; `.` is that of Logbook. */
export const dependenciesOf = (place) => {
  const { dependencies, optionalDependencies } = manifestOf(place);
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => placeOf(name, place) ?? []);
};

/** Places of the packages that the bundle leaves outside, and of all that they need. */
export const packagesBeside = () => {
  const places = new Set();
  const add = (place) => {
    if (places.has(place)) return;
    places.add(place);
    for (const needed of dependenciesOf(place)) add(needed);
  };
  for (const name of outside) add(placeOf(name, '.'));
  return [...places];
};

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The place of the package that a file belongs to; undefined: to none. */
export const packageOf = (path) => PACKAGE.exec(path.split(sep).join('/'))?.[0].replace(/^(\.\.\/)+/, '');

/** Places of the packages of which files were put into a bundle. `metafile`: what esbuild says of it. */
export const packagesWithin = ({ inputs }) => [...new Set(Object.keys(inputs).flatMap((path) => packageOf(path) ?? []))];
