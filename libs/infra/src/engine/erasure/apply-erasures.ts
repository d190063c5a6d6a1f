import { ERASABLE, type ErasableService, subjectOfRecord } from '#domain/operations/erasures.js';
import type { Cause } from '#domain/shared/causation.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** Number of keys destroyed at a time: their appends become durable together. */
const AT_A_TIME = 50;

/** Number of items at which the JSON form of the list is cut. */
const MOST_AS_JSON = 100;

const SUBJECT_ID = /^[^\n]{1,220}$/;
/** Form of subject names: a kind and an id. */
const SUBJECT = /^(user|registration|subscription|client|oidc-tenant|tenant|recomputation|installation)-[^\n]{1,200}$/;

/** A list of erasures, or one of its lines, differs from the answer of `GET /ops/erasures`. */
export class InvalidErasures extends Error {
  override readonly name = 'InvalidErasures';
}

type Item = Readonly<{ service?: unknown; kind?: unknown; subject?: unknown }>;

/** Returns whether {@link ERASABLE} names the kind for the service. */
const isErasable = ({ service, kind }: Item): boolean =>
  typeof service === 'string' && Object.hasOwn(ERASABLE, service) && ERASABLE[service as ErasableService].includes(String(kind));

/**
 * Lists name records by id; those of 1.0.0 name the subject itself, `user-<id>`. An ambiguous id counts as both, because a missed erasure
 * would show the data again.
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
 * Subjects in a list of erasures: the answer of `GET /ops/erasures`, with one item per line, or as JSON if it has fewer than 100.
 * @throws InvalidErasures
 */
export const erasedSubjectsIn = (text: string): readonly string[] => {
  if (text.trim() === '') throw new InvalidErasures('the list of erasures was not fetched: if nothing was erased it is {"items":[]}');
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
  if (!perLine && items.length >= MOST_AS_JSON)
    throw new InvalidErasures(
      `the list of erasures may be cut: as JSON it ends after ${MOST_AS_JSON}. Fetch it with \`Accept: application/x-ndjson\``,
    );
  return [...new Set(items.flatMap(subjectsOf))];
};

/**
 * Destroys the keys of erased subjects. Repeating it is safe. In an older copy of the log, nothing may be served before it ends.
 * @throws the reason of the signal
 */
export const applyErasures = async (
  keys: Pick<SubjectKeys, 'destroy'>,
  subjects: readonly string[],
  cause?: Cause,
  signal?: AbortSignal,
): Promise<void> => {
  for (let start = 0; start < subjects.length; start += AT_A_TIME) {
    signal?.throwIfAborted();
    await Promise.all(subjects.slice(start, start + AT_A_TIME).map((subject) => keys.destroy(subject, cause)));
  }
};
