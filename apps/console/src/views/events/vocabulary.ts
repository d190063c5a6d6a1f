import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';

/** Types and categories of the log. */
export type Vocabulary = AnswerOf<'/audit/event-types'>;

/** While none are known. */
export const NO_NAMES: Vocabulary = { types: [], categories: [] };

export const loadVocabulary = (signal: AbortSignal): Promise<Vocabulary> => get<Vocabulary>('/audit/event-types', {}, { signal });

/** Types that a call takes. */
export const MOST_TYPES = 100;

/** Close names that are shown of an unknown one. */
const MOST_CLOSE = 3;

/** `profil, topic` as its words. */
export const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

/** The names that a word stands for: itself, or all that have it in them. */
export const namesWith = (word: string, names: readonly string[]): readonly string[] => {
  if (names.includes(word)) return [word];
  const wanted = word.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted));
};

const pairsOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2).toLowerCase()));

/** The names that have most pairs of letters of an unknown word. */
const closeTo = (word: string, names: readonly string[]): readonly string[] => {
  const pairs = pairsOf(word);
  const shareOf = (name: string): number => {
    const own = pairsOf(name);
    return [...pairs].filter((pair) => own.has(pair)).length / Math.max(1, pairs.size);
  };
  return names
    .map((name) => ({ name, share: shareOf(name) }))
    .filter(({ share }) => share >= 0.6)
    .sort((one, other) => other.share - one.share)
    .slice(0, MOST_CLOSE)
    .map(({ name }) => name);
};

/** What is wrong with the words of a field; `''`: nothing. @param noun such as `type` */
export const wrongWords = (text: string, noun: string, names: readonly string[], most = Number.POSITIVE_INFINITY): string => {
  const all = new Set<string>();
  for (const word of wordsOf(text)) {
    const found = namesWith(word, names);
    for (const name of found) all.add(name);
    if (found.length > most) return `Several have this in their name: ${found.join(', ')}.`;
    if (found.length > 0) continue;
    const close = closeTo(word, names);
    return `No event of the log has the ${noun} ${word}.${close.length > 0 ? ` Close to it: ${close.join(', ')}.` : ''}`;
  }
  return all.size > MOST_TYPES ? `More than ${MOST_TYPES} ${noun}s have this in their name: write more of it.` : '';
};

/** The query of a call, with names in place of their parts. An unknown word stays: it finds nothing. */
export const spelledOut = (query: URLSearchParams, { types, categories }: Vocabulary): URLSearchParams => {
  const spelled = new URLSearchParams(query);
  for (const [member, names] of [
    ['type', types],
    ['category', categories],
  ] as const) {
    const words = query.getAll(member);
    if (words.length === 0) continue;
    spelled.delete(member);
    const found = words.flatMap((word) => {
      const known = namesWith(word, names);
      return known.length > 0 ? known : [word];
    });
    for (const name of new Set(member === 'type' ? found : found.slice(0, 1))) spelled.append(member, name);
  }
  return spelled;
};
