/** The worst match of a name: a part of a word. */
const INSIDE = 3;
/** No match. */
export const NO_MATCH = INSIDE + 1;

/** Match of a text with a name, in any letter case: the same is best, then its beginning, then that of a word in it. */
export const nameRank = (name: string, text: string): number => {
  const [own, wanted] = [name.toLowerCase(), text.toLowerCase()];
  if (own === wanted) return 0;
  const at = own.indexOf(wanted);
  if (at <= 0) return at === 0 ? 1 : NO_MATCH;
  return /[\s\-_.]/.test(own[at - 1] ?? '') ? 2 : INSIDE;
};
