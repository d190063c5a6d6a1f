import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** Keys destroyed at a time: their appends become durable together. */
const AT_A_TIME = 50;

/** As subjects are called: a kind and an id. */
const SUBJECT = /^(user|registration|subscription|client|oidc-tenant|tenant|recomputation|installation)-[^\n]{1,200}$/;

/** A line of a list of erasures, or the list, is not what `GET /ops/erasures` answers. */
export class InvalidErasures extends Error {
  override readonly name = 'InvalidErasures';
}

const subjectOf = (item: unknown): string => {
  const subject = typeof item === 'object' && item !== null && 'subject' in item ? item.subject : undefined;
  if (typeof subject === 'string' && SUBJECT.test(subject)) return subject;
  throw new InvalidErasures('the list of erasures has an item without a subject');
};

/**
 * Subjects of a list of erasures: the answer of `GET /ops/erasures`, as JSON or one item a line.
 * @throws InvalidErasures
 */
export const erasedSubjectsIn = (text: string): readonly string[] => {
  if (text.trim() === '') throw new InvalidErasures('the list of erasures was not fetched: where nothing was erased it is {"items":[]}');
  const parsed = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch (cause) {
      throw new InvalidErasures('the list of erasures is not JSON', { cause });
    }
  };
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const perLine = lines.length > 0 && lines.every((line) => /^\{.*"subject".*\}\s*$/.test(line) && !line.includes('"items"'));
  const items: unknown = perLine ? lines.map(parsed) : (parsed(text) as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) throw new InvalidErasures('the list of erasures has no items');
  return [...new Set(items.map(subjectOf))];
};

/** Destroys the keys of subjects in a log that was copied before they were erased. Repeating it does no harm. Nothing may be served before. */
export const applyErasures = async (keys: Pick<SubjectKeys, 'destroy'>, subjects: readonly string[]): Promise<void> => {
  for (let start = 0; start < subjects.length; start += AT_A_TIME)
    await Promise.all(subjects.slice(start, start + AT_A_TIME).map((subject) => keys.destroy(subject)));
};
