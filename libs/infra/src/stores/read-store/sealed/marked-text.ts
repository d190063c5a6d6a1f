import type { Json } from '#domain/shared/events.js';
import { ERASED, type Mark, type Marks, type MarkVisibility, shownAs } from '#domain/shared/marks.js';
import type { Sealing } from '#projections/shared/projection.js';
import { type MemberText, memberTexts } from './member-texts.js';
import { EMPTY } from './sealed-text.js';

type MarkedMember = Readonly<{ path: string; mark: Mark | undefined; erasedMark: string | undefined }>;
type Replace = (text: string, member: MarkedMember) => string;

/** JSON text in place of a value whose key is destroyed, before {@link TextMarking.shown}. */
export const ERASED_TEXT = JSON.stringify(ERASED);

/** Parts of a collection's documents that are hidden from auditors. Document texts are as in `Sealing`; everything else stays unchanged. */
export type TextMarking = Readonly<{
  /** An opened document as shown to an auditor. Erased values are {@link ERASED_TEXT} in it. */
  shown: (text: string, shown: MarkVisibility) => string;
  /** An unsealed document without its secrets. Personal data stay. */
  concealed: (text: string) => string;
}>;

export const markingOf = (sealing: Sealing, marks: Marks): TextMarking => {
  const unsealed = Object.entries(marks).filter(([path]) => !sealing.some((member) => member.path === path));
  const sealed = sealing.map(({ path, mark, erasedMark }): MarkedMember => ({ path, mark, erasedMark }));
  const all = [...sealed, ...unsealed.map(([path, mark]): MarkedMember => ({ path, mark, erasedMark: undefined }))];
  const show = replacer(all.filter(({ mark, erasedMark }) => mark !== undefined || erasedMark !== undefined));
  const conceal = replacer(sealed.filter(({ mark }) => mark === 'secret' || mark === 'url' || typeof mark === 'function'));
  return {
    shown: (text, shown) => show(text, (value, member) => shownText(value, member, shown)),
    concealed: (text) => conceal(text, (value, member) => shownText(value, member, { personal: true })),
  };
};

const shownText = (value: string, { mark, erasedMark = ERASED_TEXT }: MarkedMember, shown: MarkVisibility): string => {
  if (value === ERASED_TEXT) return erasedMark;
  if (mark === undefined || EMPTY.has(value) || (mark === 'personal' && shown.personal)) return value;
  const parsed: Json = JSON.parse(value);
  return JSON.stringify(shownAs(mark, parsed, shown));
};

/** Returns a function that replaces the values of these members in a text. */
const replacer = (members: readonly MarkedMember[]): ((text: string, replace: Replace) => string) => {
  const membersIn = memberTexts(members);
  return (text, replace) => replaced(text, membersIn(text), replace);
};

const replaced = (text: string, found: readonly MemberText<MarkedMember>[], replace: Replace): string => {
  let result = '';
  let at = 0;
  for (const { start, end, member } of found) {
    result += text.slice(at, start) + replace(text.slice(start, end), member);
    at = end;
  }
  return result + text.slice(at);
};
