import { ERASABLE, type ErasableService, subjectOfRecord } from '#domain/operations/erasures.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** Keys destroyed at a time: their appends become durable together. */
const AT_A_TIME = 50;

const SUBJECT_ID = /^[^\n]{1,220}$/;
/** As subjects are called: a kind and an id. */
const SUBJECT = /^(user|registration|subscription|client|oidc-tenant|tenant|recomputation|installation)-[^\n]{1,200}$/;

/** A line of a list of erasures, or the list, is not what `GET /ops/erasures` answers. */
export class InvalidErasures extends Error {
  override readonly name = 'InvalidErasures';
}

type Item = Readonly<{ service?: unknown; kind?: unknown; subject?: unknown }>;

/** The kinds of a service, as {@link ERASABLE} names them. */
const isErasable = ({ service, kind }: Item): boolean =>
  typeof service === 'string' && Object.hasOwn(ERASABLE, service) && ERASABLE[service as ErasableService].includes(String(kind));

/**
 * Lists name records by their ids; those of 1.0.0 name the subject itself, `user-<id>`. What may be either counts as both: an erasure that is left out would
 * show the data again.
 */
const subjectsOf = (item: Item | null): readonly string[] => {
  const { service, kind, subject } = item ?? {};
  if (typeof subject !== 'string' || !SUBJECT_ID.test(subject))
    throw new InvalidErasures('the list of erasures has an item without a subject');
  const ofRecord = isErasable({ service, kind })
    ? [subjectOfRecord({ service: service as ErasableService, kind: String(kind), id: subject })]
    : [];
  const subjects = SUBJECT.test(subject) ? [subject, ...ofRecord] : ofRecord;
  if (subjects.length === 0) throw new InvalidErasures('the list of erasures has an item without a subject');
  return subjects;
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
  return [...new Set(items.flatMap(subjectsOf))];
};

/** Destroys the keys of subjects in a log that was copied before they were erased. Repeating it does no harm. Nothing may be served before. */
export const applyErasures = async (keys: Pick<SubjectKeys, 'destroy'>, subjects: readonly string[]): Promise<void> => {
  for (let start = 0; start < subjects.length; start += AT_A_TIME)
    await Promise.all(subjects.slice(start, start + AT_A_TIME).map((subject) => keys.destroy(subject)));
};
