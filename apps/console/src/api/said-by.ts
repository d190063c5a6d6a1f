/** What an answer that is an error says. `detail`: `''` if there is none. */
type Said = Readonly<{ title?: string | undefined; detail: string; instance?: string | undefined }>;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const texts = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (isObject(value)) return texts([value.member === undefined ? (value.details ?? value.message) : `${value.member} ${value.detail}`]);
  return typeof value === 'number' ? [`${value}`] : [textOf(value) ?? []].flat();
};

/**
 * Reads problem details of `/ops` and `/audit`, `{ message, code, details }` of accounting, the same under `status` with a list of `errors` of the status
 * service, and `{ error: { message } }` of messaging.
 */
export const saidBy = (body: unknown): Said => {
  if (!isObject(body)) return { detail: '' };
  const [own] = [body.error, body.status, body].filter(isObject);
  const title = textOf(body.title) ?? textOf(own?.message) ?? textOf(body.message) ?? textOf(body.error);
  const first = textOf(body.detail);
  const more = [...texts(own?.details), ...texts(body.errors)].filter((text) => text !== title);
  const detail = [first, [...new Set(more)].join('; ')].filter(Boolean).join(': ');
  return { title, detail, instance: textOf(body.instance) };
};
