/** A place in a file and what comes there. */
type Edit = Readonly<{ at: string | RegExp }> &
  Readonly<{ before: string } | { after: string } | { instead: string | ((found: string) => string) }>;

/** What a developer does with one file: writes it, or changes it at some places. */
export type Step = Readonly<{ file: string }> & Readonly<{ text: string } | { edits: readonly Edit[] }>;

/** The same, with the heading of `docs/adding-a-feature.md` that it follows. */
export type Recipe = Readonly<{ heading: string; steps: readonly Step[] }>;

/** @throws the place is not there */
const edited = (text: string, edit: Edit): string => {
  const { at } = edit;
  const found = typeof at === 'string' ? at : (at.exec(text)?.[0] ?? '');
  if (found === '' || !text.includes(found)) throw new Error(`nothing here is ${at}`);
  if ('before' in edit) return text.replace(found, () => edit.before + found);
  if ('after' in edit) return text.replace(found, () => found + edit.after);
  const { instead } = edit;
  return text.replace(found, () => (typeof instead === 'string' ? instead : instead(found)));
};

/** A file after a step. @param before `undefined`: there is no such file @throws the step does not fit to it */
export const afterStep = (step: Step, before: string | undefined): string => {
  if ('text' in step === (before !== undefined)) throw new Error(`${step.file} is ${before === undefined ? 'not there' : 'there'}`);
  return 'text' in step ? step.text : step.edits.reduce(edited, before ?? '');
};

/** The version of a read model or of snapshots. */
export const raised: Edit = { at: /version: \d+/, instead: (found) => `version: ${Number(found.slice('version: '.length)) + 1}` };
