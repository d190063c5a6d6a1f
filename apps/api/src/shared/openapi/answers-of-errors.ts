import type { Shape } from '#domain/shared/shape.js';
import type { Answers, DescribedAnswer, ShownText } from './described.js';

/** Answer of a service's error: its status, its body as text or object, and the same body in other media types. */
export type HttpError = Readonly<{ statusCode: number; body: string | object; also?: Readonly<Record<string, string>> | undefined }>;

const REASONS: Readonly<Record<number, string>> = {
  400: 'the request is not as this call takes it',
  401: 'no key or token, or nobody holds it',
  403: 'the caller may not do this',
  404: 'not found',
  405: 'the path does not take this method',
  406: 'no accepted media type is one that this call answers',
  408: 'the body did not come in time',
  409: 'this cannot be done in the present state',
  410: 'what was there at this point in time cannot be shown any more',
  413: 'the body is too large',
  415: 'the body is of another media type than this call takes',
  422: 'the request is understood, and cannot be followed',
  500: 'a failure of the service; the log has the cause under the request id',
  503: 'the service cannot process the request now, try again later',
};

const reasonOf = ({ statusCode }: HttpError): string => REASONS[statusCode] ?? 'an error';
const bodyOf = ({ body }: HttpError): object => (typeof body === 'string' ? JSON.parse(body) : body);

/** Each media type of an error with the description of its body. */
const inEach = (
  texts: Readonly<Record<string, string>>,
  say: (text: string, type: string) => ShownText,
): Readonly<Record<string, ShownText>> => Object.fromEntries(Object.entries(texts).map(([type, text]) => [type, say(text, type)]));

const RETRY_AFTER = { description: 'seconds until a repetition may succeed', schema: { type: 'integer', minimum: 1 } };

/** Describes errors in their answered form. */
export const answersOf = (shape: Shape, errors: readonly HttpError[]): Answers =>
  Object.fromEntries(
    errors.map((error) => [
      error.statusCode,
      {
        description: reasonOf(error),
        shape,
        example: bodyOf(error),
        ...(error.also && { also: inEach(error.also, (example) => ({ example })) }),
        ...(error.statusCode === 503 && { headers: { 'Retry-After': RETRY_AFTER } }),
      },
    ]),
  );

type Bodied = Readonly<{ message?: string; details?: string; error?: Bodied; status?: Bodied | string; errors?: readonly Bodied[] }>;

/** The sentence of an error, from any place in its body. */
const sentenceIn = ({ message = '', details, error, status, errors }: Bodied): string => {
  if (errors?.[0]) return sentenceIn(errors[0]);
  const inner = error ?? (typeof status === 'object' ? status : undefined);
  return inner ? sentenceIn(inner) : (details ?? message);
};

/** Describes the errors of one operation. Errors with the same status are examples of one answer. */
export const ownErrors = (shape: Shape, errors: readonly HttpError[]): Answers => {
  const answers: Record<number, DescribedAnswer> = {};
  for (const error of errors) {
    const body = bodyOf(error);
    const known = answers[error.statusCode];
    const said = sentenceIn(body);
    const other = known?.examples?.[said];
    const sentence = other && JSON.stringify(other) !== JSON.stringify(body) ? `${said} (in another form)` : said;
    const examples = { ...known?.examples, [sentence]: body };
    const also = inEach(error.also ?? {}, (text, type) => ({ examples: { ...known?.also?.[type]?.examples, [sentence]: text } }));
    answers[error.statusCode] = { description: reasonOf(error), shape, examples, also: { ...known?.also, ...also } };
  }
  return answers;
};

/** Only the answers with these statuses. */
export const pick = (answers: Answers, ...statuses: readonly number[]): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([status]) => statuses.includes(Number(status))));
