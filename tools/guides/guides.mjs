/** Makes the pages that a server, and `npm run docs`, shows under `/guides`: the documents of the repository and the calls of the API, with a search. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { root } from '../packages.mjs';
import { callsOf } from './calls.mjs';
import { escaped, htmlOf, sectionsIn } from './markdown.mjs';
import { INDEX } from './search.mjs';

/** Names of pages by folders: of its README, and of the other documents. In a folder that is not listed both begin with its name. */
const NAMES = {
  '.': ['logbook', (name) => `logbook-${name.toLowerCase()}`],
  docs: ['documents', (name) => name],
  'docs/guides': ['index', (name) => name],
  'docs/running': ['running', (name) => name],
  'docs/contracts': ['contracts', (name) => `${name}-contract`],
};

const pageOf = (path) => {
  const [folder, name] = [dirname(path), basename(path, '.md')];
  const [ofReadme, ofOthers] = NAMES[folder] ?? [basename(folder), (other) => `${basename(folder)}-${other}`];
  return name === 'README' ? ofReadme : ofOthers(name);
};

/** Names of pages by paths of documents. */
const documents = () => {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join('docs', name));
  return new Map([...readdirSync(root), ...inDocs].filter((path) => path.endsWith('.md')).map((path) => [path, pageOf(path)]));
};

/** Other files of `docs` that pages show or link to. */
const SHOWN = ['.png', '.svg', '.webm', '.json'];

/** Maps links of a document to those of its page. `pages`: their names by paths; `files`: names of other files by paths, to which those of links are added */
const linksFrom = (document, pages, files) => (link) => {
  if (/^(https?:|#)/.test(link)) return link;
  const [file, ...anchor] = link.split('#');
  const path = join(dirname(document), file);
  const name = pages.get(path);
  if (name !== undefined) return [name === 'index' ? './' : name, ...anchor].join('#');
  if (!path.startsWith('docs/') || !SHOWN.includes(extname(path))) return undefined;
  files.set(path, basename(path));
  return basename(path);
};

const frame = (title, content) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Logbook</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Main"><a href="./">Guides</a> <a href="documents">Documents</a> <a href="calls">Calls</a> <a href="../console">Console</a> <a href="../docs">API</a>
<form action="search" role="search"><input type="search" name="q" maxlength="200" placeholder="Search" aria-label="Search"></form></nav>
<main>
${content}
</main>
</body>
</html>
`;

const SEARCH = `<h1>Search</h1>
<p role="status">The search runs in the browser, with JavaScript.</p>
<ol></ol>
<script type="module" src="search.js"></script>`;

const distinct = (names) => {
  if (new Set(names).size < names.length) throw new Error('two documents would be the same page of /guides, or two files the same');
};

/**
 * @param absWorkingDir of the build, beside the sources
 * @param folder for the pages, with all that they show
 * @param api the description of the API
 * @returns the metafile of esbuild
 */
export const buildGuides = async (absWorkingDir, folder, api) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = new Map([
    ['tools/guides/style.css', 'style.css'],
    ['apps/console/src/icon.svg', 'icon.svg'],
  ]);
  const index = new MiniSearch(INDEX);
  const add = (name, markdown, linkTo) => {
    const html = htmlOf(markdown, linkTo);
    const sections = sectionsIn(html);
    const [{ heading: page }] = sections;
    index.addAll(sections.map(({ anchor, ...section }) => ({ id: `${name === 'index' ? './' : name}#${anchor}`, page, ...section })));
    writeFileSync(join(folder, `${name}.html`), frame(page, html));
  };
  const pages = documents();
  const calls = callsOf(api);
  for (const [path, name] of pages) add(name, readFileSync(join(root, path), 'utf8'), linksFrom(path, pages, files));
  for (const [name, markdown] of calls) add(name, markdown, (link) => link);
  distinct([...pages.values(), ...calls.keys(), 'search']);
  distinct([...files.values(), 'search.json']);
  for (const [path, name] of files) copyFileSync(join(root, path), join(folder, name));
  writeFileSync(join(folder, 'search.html'), frame('Search', SEARCH));
  writeFileSync(join(folder, 'search.json'), JSON.stringify(index));
  const { metafile } = await build({
    absWorkingDir,
    entryPoints: { search: '../tools/guides/search-page.mjs' },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'none', // they are in THIRD-PARTY-LICENSES
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
};
