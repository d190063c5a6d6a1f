import { Marked } from 'marked';

export const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const CHARACTERS = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** The text of HTML that was made here. */
const textOf = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&\S+?;/g, (entity) => CHARACTERS[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/**
 * HTML of a document of ours, with the anchors of GitHub. Of HTML in it only anchors and pictures are kept; comments are left out, and all else is text.
 * `linkTo`: where a link or picture leads; undefined: it is shown as its text
 */
export const htmlOf = (markdown, linkTo) => {
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
      const target = /^https?:/.test(href) ? undefined : linkTo(href); // the policy of the pages refuses pictures of other hosts
      return target === undefined ? escaped(text) : `<img src="${escaped(target)}" alt="${escaped(text)}">`;
    },
    html({ text }) {
      const [, href, alt] = /^<img src="([^"]+)"[^>]* alt="([^"]+)">\s*$/.exec(text) ?? [];
      if (href !== undefined) return renderer.image({ href, text: alt });
      return /^(<a id="[\w-]+">|<\/a>)\s*$/.test(text) ? text : text.startsWith('<!--') ? '' : escaped(text);
    },
  };
  return new Marked({ renderer }).parse(markdown);
};

/** Sections of a page, from one heading of the first three levels to the next: anchor, heading and text. */
export const sectionsIn = (html) =>
  Array.from(html.matchAll(/<h[1-3] id="([^"]*)">(.*?)<\/h[1-3]>(.*?)(?=<h[1-3] id|$)/gs), ([, anchor, heading, text]) => ({
    anchor,
    heading: textOf(heading),
    text: textOf(text),
  }));
