/** Licences and notices of the packages that an installation consists of, as the file THIRD-PARTY-LICENSES says them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { manifestOf, root } from './packages.mjs';

const LICENCE = /(^|[._-])(licen[cs]e|copying|copyright|notice)([._-].*)?$/i;

/** Also of what a package contains, such as the C libraries in the binaries of lmdb. */
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : filesIn(path);
    return LICENCE.test(entry.name) ? [path] : [];
  });

const holderOf = ({ author, repository }) => {
  const name = typeof author === 'object' ? author.name : author;
  return name ?? `the authors of ${(repository?.url ?? repository).replace(/^git\+|\.git$/g, '')}`;
};

/** For a package that names its licence and brings no text. @throws there is no text of that licence */
const standardText = (manifest) => {
  const { name, license } = manifest;
  const path = license === 'Apache-2.0' ? join(root, 'LICENSE') : join(root, 'tools', 'licences', `${license}.txt`);
  if (!existsSync(path)) throw new Error(`${name} brings no text of its licence (${license}), and ${relative(root, path)} is not there`);
  return `Copyright (c) ${holderOf(manifest)}\n\n${readFileSync(path, 'utf8')}`;
};

const textsOf = (place) => {
  const folder = join(root, place);
  const files = filesIn(folder);
  if (files.length === 0) return standardText(manifestOf(place));
  const texts = files.map((path) => [relative(folder, path), readFileSync(path, 'utf8').trim()]);
  return texts.map(([path, text]) => (texts.length > 1 ? `${path}:\n\n${text}` : text)).join('\n\n');
};

const RULE = `\n\n${'-'.repeat(100)}\n\n`;

/** @param places of the packages @throws a package has no licence */
export const licencesOf = (places) => {
  /** Names of packages by what they say. */
  const named = new Map();
  for (const place of places) {
    const { name, version, license } = manifestOf(place);
    if (!license) throw new Error(`${name} has no licence`);
    const text = textsOf(place).replaceAll('\r\n', '\n').trim();
    named.set(text, [...(named.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...named].map(([text, names]) => [names.sort().join('\n'), text].join('\n\n'));
  return `${['Logbook contains the following packages, whose licences and notices are:', ...parts.sort()].join(RULE)}\n`;
};
