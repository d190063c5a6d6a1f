/** Makes the pages that a server shows under `/guides`: the guides by role, the contracts, and the documents beside them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { htmlOf } from './markdown.mjs';
import { root } from './packages.mjs';

/** Folders below `docs`, each with what stands behind the names of its pages. */
const FOLDERS = { guides: '', contracts: '-contract', '.': '' };

const pageOf = (folder, file) => {
  const name = basename(file, '.md');
  return name === 'README' ? 'index' : `${name}${FOLDERS[folder]}`;
};

/** Names of pages by paths of documents below `docs`. */
const pages = () =>
  new Map(
    Object.keys(FOLDERS).flatMap((folder) =>
      readdirSync(join(root, 'docs', folder))
        .filter((file) => file.endsWith('.md'))
        .map((file) => [join(folder, file), pageOf(folder, file)]),
    ),
  );

const document = (title, content) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Logbook</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Main"><a href="./">Guides</a> <a href="../console">Console</a> <a href="../docs">API</a></nav>
<main>
${content}
</main>
</body>
</html>
`;

/** Copies a picture beside the pages. @returns its name; undefined: the path is of no picture of `docs` */
const copied = (path, folder) => {
  const picture = join(root, 'docs', path);
  if (!path.endsWith('.png') || !existsSync(picture)) return undefined;
  copyFileSync(picture, join(folder, basename(path)));
  return basename(path);
};

/** Where links of a document lead. `names`: of pages, by paths below `docs`. */
const linksFrom = (document, names, folder) => (link) => {
  if (/^(https?:|#)/.test(link)) return link;
  const [file, ...anchor] = link.split('#');
  const path = join(dirname(document), file);
  const name = names.get(path);
  if (name === undefined) return copied(path, folder);
  return [name === 'index' ? './' : name, ...anchor].join('#');
};

/** @param folder for the pages, their style and their pictures */
export const buildGuides = (folder) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = pages();
  if (new Set(names.values()).size < names.size) throw new Error('two documents would be the same page of /guides');
  for (const [path, name] of names) {
    const markdown = readFileSync(join(root, 'docs', path), 'utf8');
    const [, title] = /^# (.+)$/m.exec(markdown);
    const content = htmlOf(markdown, linksFrom(path, names, folder));
    writeFileSync(join(folder, `${name}.html`), document(title.replaceAll('`', ''), content));
  }
  copyFileSync(join(root, 'tools', 'guides.css'), join(folder, 'style.css'));
};
