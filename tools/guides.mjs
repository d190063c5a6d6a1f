/** Makes the pages that a server shows under `/guides`: the guides by role, the contracts, and the documents beside them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Marked } from 'marked';
import { root } from './packages.mjs';

/** Folders below `docs`, each with what stands behind the names of its pages. */
const FOLDERS = { guides: '', running: '', contracts: '-contract', '.': '' };

const pageOf = (folder, file) => {
  const name = basename(file, '.md');
  if (name === 'README') return folder === '.' ? 'documents' : 'index';
  return `${name}${FOLDERS[folder]}`;
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

/** Maps links of a document to those of its page. `names`: of pages, by paths below `docs`. */
const linksFrom = (document, names, folder) => (link) => {
  if (/^(https?:|#)/.test(link)) return link;
  const [file, ...anchor] = link.split('#');
  const path = join(dirname(document), file);
  const name = names.get(path);
  if (name === undefined) return copied(path, folder);
  return [name === 'index' ? './' : name, ...anchor].join('#');
};

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/**
 * HTML of a document of ours, with the anchors of GitHub. Of HTML in it only anchors are kept; comments are left out, and all else is text.
 * `linkTo`: where a link or picture leads; undefined: it is shown as its text
 */
const htmlOf = (markdown, linkTo) => {
  const seen = new Map();
  const renderer = {
    heading({ depth, text, tokens }) {
      const anchor = anchorOf(text);
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return `<h${depth} id="${before === 0 ? anchor : `${anchor}-${before}`}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, raw, tokens }) {
      const target = raw === href ? undefined : linkTo(href); // an address in the text is an example
      const text = this.parser.parseInline(tokens);
      return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
    },
    image({ href, text }) {
      const target = linkTo(href);
      return target === undefined ? escaped(text) : `<img src="${escaped(target)}" alt="${escaped(text)}">`;
    },
    html: ({ text }) => (/^(<a id="[\w-]+">|<\/a>)\s*$/.test(text) ? text : text.startsWith('<!--') ? '' : escaped(text)),
  };
  return new Marked({ renderer }).parse(markdown);
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
