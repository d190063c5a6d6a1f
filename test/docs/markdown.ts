/** What of a Markdown document can be cited: numbers of its headings, their anchors, and ids that begin rows of its tables. */
export type Targets = Readonly<{ sections: ReadonlySet<string>; anchors: ReadonlySet<string>; ids: ReadonlySet<string> }>;

const FENCED = /^(`{3,}).*?^\1/gms;
const HEADING = /^#{1,6} +(.+?) *$/gm;
const NUMBER = /^(\d+(?:\.\d+)*)\.?(?= )/;
const ROW_ID = /^\| (?:<a id="\w+"><\/a>)?`?([A-Z]+-?\d*[A-Z]*)(?:\(\w+\))?`? [^|]*\|/gm;
const OWN_ANCHOR = /<a id="([\w-]+)">/g;
const LINK = /\[[^\]]*\]\(([^()\s]+)\)/g;
const CODE = /`[^`\n]+`/g;

const all = (text: string, pattern: RegExp): readonly string[] => Array.from(text.matchAll(pattern), ([whole, group]) => group ?? whole);

/** The anchor that GitHub gives a heading: lower case, blanks as hyphens, without other punctuation. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Equal headings get a number behind their anchor, from the second on. */
const numbered = (anchors: readonly string[]): readonly string[] =>
  anchors.map((anchor, index) => {
    const before = anchors.slice(0, index).filter((one) => one === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  });

export const targetsIn = (markdown: string): Targets => {
  const text = markdown.replace(FENCED, '');
  const headings = all(text, HEADING);
  return {
    sections: new Set(headings.flatMap((heading) => NUMBER.exec(heading)?.[1] ?? [])),
    anchors: new Set([...numbered(headings.map(anchorOf)), ...all(text, OWN_ANCHOR)]),
    ids: new Set(all(text, ROW_ID)),
  };
};

/** Where its links lead, those to other sites excepted. */
export const linksIn = (markdown: string): readonly string[] =>
  all(markdown.replace(FENCED, '').replace(CODE, ''), LINK).filter((link) => !/^[a-z]+:/.test(link));

/** Its pieces of code inside of lines. */
export const codeIn = (markdown: string): readonly string[] => all(markdown.replace(FENCED, ''), CODE).map((code) => code.slice(1, -1));

/** The commands that its blocks of shell and of sessions show, in order. */
export const commandsIn = (markdown: string): readonly string[] =>
  Array.from(markdown.matchAll(/^```(console|sh)\n([\s\S]*?)^```/gm)).flatMap(([, kind, block = '']) =>
    block.split('\n').flatMap((line) => (kind === 'sh' ? [line] : line.startsWith('$ ') ? [line.slice(2)] : [])),
  );
