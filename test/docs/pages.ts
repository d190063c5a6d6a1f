/** Rows of tables and sentences that two pages have in common, nearly word by word. */
export type Alike = Readonly<{ paths: readonly [string, string]; texts: readonly [string, string] }>;

type Passage = Readonly<{ path: string; text: string; words: ReadonlySet<string> }>;

const FENCED = /^(`{3,}).*?^\1/gms;
/** Shorter passages are phrases that any two pages may share. */
const FEWEST_WORDS = 10;
const ALIKE = 0.8;

/** Number of words of a page; bars and rulers of tables are none. */
export const wordCount = (markdown: string): number => markdown.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

const sentencesIn = (block: string): readonly string[] => (block.startsWith('|') ? [block] : block.split(/(?<=[.:;?!]) (?=\S)/));

/** Rows and sentences, without headings, pictures, blocks of code and targets of links. */
const passagesIn = (path: string, markdown: string): readonly Passage[] =>
  markdown
    .replace(FENCED, '')
    .replace(/^(?:#|!\[).*/gm, '')
    .replace(/\]\([^()\s]+\)/g, ']')
    .split(/\n(?=\||\s*\n|\s*(?:[-*]|\d+\.) )/)
    .flatMap((block) => sentencesIn(block.trim().replace(/\s+/g, ' ')))
    .map((text) => ({ path, text, words: new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu)) }))
    .filter(({ words }) => words.size >= FEWEST_WORDS);

const areAlike = ({ words: one }: Passage, { words: other }: Passage): boolean => {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / (one.size + other.size - common) >= ALIKE;
};

/**
 * Passages of different pages with at least 80 % of their distinct words in common. Such two share one of the rarest words of each: so
 * many that the other words alone are too few.
 */
export const alikeIn = (pages: ReadonlyMap<string, string>): readonly Alike[] => {
  const passages = [...pages].flatMap(([path, markdown]) => passagesIn(path, markdown));
  const counts = new Map<string, number>();
  for (const { words } of passages) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const before = new Map<string, Passage[]>();
  return passages.flatMap((passage) => {
    const rarest = [...passage.words].sort((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0) || (one < other ? -1 : 1));
    const keys = rarest.slice(0, passage.words.size - Math.ceil(ALIKE * passage.words.size) + 1);
    const candidates = new Set(keys.flatMap((key) => before.get(key) ?? []));
    for (const key of keys) before.set(key, [...(before.get(key) ?? []), passage]);
    return [...candidates]
      .filter((other) => other.path !== passage.path && areAlike(other, passage))
      .map((other): Alike => ({ paths: [other.path, passage.path], texts: [other.text, passage.text] }));
  });
};
