/**
 * HTML of our own documents: headings, paragraphs, lists, tables, code, links, pictures, emphasis. All other text is shown as it is written.
 *
 * A link is passed to `linkTo`, which returns where the page leads, or undefined for plain text.
 */

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Marks inside of lines; a match has the groups of one of them. */
const INLINE = new RegExp(
  [
    '(?<ticks>`+)(?<code>.+?)\\k<ticks>(?!`)',
    '!\\[(?<alt>[^\\]]*)\\]\\((?<picture>[^()\\s]+)\\)',
    '\\[(?<label>(?:`[^`]*`|[^\\]`])*)\\]\\((?<link>[^()\\s]+)\\)',
    '\\*\\*(?<strong>.+?)\\*\\*',
    '\\*(?<emphasis>[^\\s*`][^*`]*)\\*',
    '<a id="(?<anchor>[\\w-]+)"></a>',
    '\\\\(?<plain>[\\\\`*_[\\]|<>])',
  ].join('|'),
  'gs',
);

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const FENCE = /^(`{3,})/;
const ITEM = /^(?:[-*]|\d+\.) +/;
const COMMENT = /^<!-- .* -->$/;
const begins = (line) => /^(#{1,6} |\|)/.test(line) || FENCE.test(line) || ITEM.test(line) || COMMENT.test(line);

const cellsOf = (row) =>
  row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** HTML of each mark. `linkTo`: as in {@link htmlOf}. */
const MARKS = {
  code: ({ code }) => `<code>${escaped(code)}</code>`,
  picture: ({ picture, alt }, linkTo) => {
    const target = linkTo(picture);
    return target === undefined ? escaped(alt) : `<img src="${escaped(target)}" alt="${escaped(alt)}">`;
  },
  link: ({ link, label }, linkTo) => {
    const [target, text] = [linkTo(link), inline(label, linkTo)];
    return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
  },
  strong: ({ strong }, linkTo) => `<strong>${inline(strong, linkTo)}</strong>`,
  emphasis: ({ emphasis }) => `<em>${escaped(emphasis)}</em>`,
  anchor: ({ anchor }) => `<a id="${anchor}"></a>`,
  plain: ({ plain }) => escaped(plain),
};

const inline = (text, linkTo) => {
  let html = '';
  let end = 0;
  for (const { 0: whole, index, groups } of text.matchAll(INLINE)) {
    const [, write] = Object.entries(MARKS).find(([name]) => groups[name] !== undefined);
    html += escaped(text.slice(end, index)) + write(groups, linkTo);
    end = index + whole.length;
  }
  return html + escaped(text.slice(end));
};

/** Lines from the first on as long as they fit. */
const taken = (lines, fits) => {
  const end = lines.findIndex((line, at) => !fits(line, at));
  return lines.slice(0, end < 0 ? undefined : end);
};

const headingOf = (line, { linkTo, anchors }) => {
  const [, marks, title] = /^(#+) +(.+?) *$/.exec(line);
  const anchor = anchorOf(title);
  const before = anchors.get(anchor) ?? 0;
  anchors.set(anchor, before + 1);
  return `<h${marks.length} id="${before === 0 ? anchor : `${anchor}-${before}`}">${inline(title, linkTo)}</h${marks.length}>`;
};

const tableOf = ([head, , ...rows], { linkTo }) => {
  const row = (name, line) =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${name}>${inline(cell, linkTo)}</${name}>`)
      .join('')}</tr>`;
  return `<table><thead>${row('th', head)}</thead><tbody>${rows.map((line) => row('td', line)).join('')}</tbody></table>`;
};

const itemOf = ([first, ...others], context) => {
  const width = ITEM.exec(first)[0].length;
  const indent = new RegExp(`^ {0,${width}}`);
  const html = blocksOf([first.slice(width), ...others.map((line) => line.replace(indent, ''))], context);
  return `<li>${html.replace(/^<p>(.*?)<\/p>/s, '$1')}</li>`;
};

/** An item goes on in indented lines, also behind an empty one, and in the lines of its paragraph. */
const goesOn = (line, before, next) => {
  if (ITEM.test(line) || line.startsWith('  ')) return true;
  return line.trim() === '' ? /^(?: {2}|[-*] |\d+\. )/.test(next ?? '') : before.trim() !== '' && !begins(line);
};

const listOf = (lines, context) => {
  const starts = lines.flatMap((line, at) => (ITEM.test(line) ? [at] : []));
  const name = /^\d/.test(lines[0]) ? 'ol' : 'ul';
  return `<${name}>${starts.map((start, at) => itemOf(lines.slice(start, starts[at + 1]), context)).join('')}</${name}>`;
};

/** The block that lines begin with: how many lines it has, and its HTML. */
const blockOf = (lines, context) => {
  const [line] = lines;
  if (line.trim() === '' || COMMENT.test(line)) return [1, ''];
  const fence = FENCE.exec(line)?.[1];
  if (fence) {
    const code = taken(lines.slice(1), (one) => one !== fence);
    return [code.length + 2, `<pre><code>${escaped(code.join('\n'))}</code></pre>`];
  }
  if (line.startsWith('#')) return [1, headingOf(line, context)];
  if (line.startsWith('|')) {
    const rows = taken(lines, (one) => one.startsWith('|'));
    return [rows.length, tableOf(rows, context)];
  }
  if (ITEM.test(line)) {
    const list = taken(lines, (one, at) => goesOn(one, lines[at - 1], lines[at + 1]));
    return [list.length, listOf(list, context)];
  }
  const text = taken(lines, (one, at) => at === 0 || (one.trim() !== '' && !begins(one)));
  return [text.length, `<p>${inline(text.join('\n'), context.linkTo)}</p>`];
};

const blocksOf = (lines, context) => {
  let html = '';
  for (let at = 0; at < lines.length; ) {
    const [length, block] = blockOf(lines.slice(at), context);
    html += block;
    at += length;
  }
  return html;
};

/** @param linkTo where a link leads; undefined: nowhere */
export const htmlOf = (markdown, linkTo) => blocksOf(markdown.split('\n'), { linkTo, anchors: new Map() });
