import type { Attack } from '#test/attack/attack.js';
import { type DocumentedWorld, openDocumentedWorld } from '#test/attack/documented-world.js';
import { type DescribedCall, pathOf } from '#test/support/documents/described-calls.js';

/** JSON texts that take the place of a value. */
const VALUES = [
  ...[
    'null',
    'true',
    '-1',
    '0.5',
    '1e400',
    '99999999999999999999',
    '""',
    '[]',
    '{}',
    '[[[]]]',
    '[null]',
    '{"":{"":""}}',
    '{"__proto__":1}',
  ],
  ...['"\\u0000"', '"\\ud800"', '"2024-02-30"', '"0000-00-00T25:61:61Z"', '"../../x"', '"*"', '"\u202e\u{1f4a9}"', '" "'],
  `"${'x'.repeat(5_000)}"`,
  `[${'1,'.repeat(2_000)}1]`,
  `${'['.repeat(500)}${']'.repeat(500)}`,
];
/** What takes the place of a parameter, as it is written in a path or query. */
const PARAMETERS = [
  '',
  '%00',
  '%FF',
  '..%2f..%2f',
  '%F0%9F%92%A9',
  '-1',
  '1e400',
  '99999999999999999999',
  '2024-02-30',
  '%27%22%3E',
  'x'.repeat(2_000),
  '*',
];
const AT_A_TIME = 8;
const PLACE = '\u0001';

/** Every value of a document in turn replaced by the place, and every member left out, as JSON texts. */
function* opened(value: unknown): Generator<string> {
  yield JSON.stringify(PLACE);
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [name, item] of entries) {
    const rest = entries.filter(([other]) => other !== name);
    if (!Array.isArray(value)) yield JSON.stringify(Object.fromEntries(rest));
    for (const text of opened(item)) {
      const changed = JSON.parse(text);
      yield JSON.stringify(
        Array.isArray(value) ? value.map((kept, at) => (String(at) === name ? changed : kept)) : { ...value, [name]: changed },
      );
    }
  }
}

/** Bodies next to the valid one. Each value is replaced by some of the others, which ones depends on its place. */
const bodiesNear = (valid: string): readonly string[] => {
  let turn = 0;
  return [...opened(JSON.parse(valid))].flatMap((text) => {
    const place = JSON.stringify(PLACE);
    if (!text.includes(place)) return [text];
    return Array.from({ length: 4 }, () => text.replace(place, () => VALUES[turn++ % VALUES.length] ?? ''));
  });
};

/** Paths with one parameter that is not as it should be. */
const pathsNear = (call: DescribedCall): readonly string[] =>
  call.parameters
    .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
    .flatMap(({ name: odd }, at) =>
      [0, 4, 8].map((step) => {
        const parameters = call.parameters.map((parameter) => (parameter.name === odd ? { ...parameter, required: true } : parameter));
        const value = PARAMETERS[(at + step) % PARAMETERS.length] ?? '';
        return pathOf({ ...call, parameters }, ({ name, example }) => (name === odd ? value : encodeURIComponent(String(example))));
      }),
    );

const fuzz = async ({ calls, credentials, bodyOf, pathTo, send }: DocumentedWorld) => {
  const faults: string[] = [];
  let attempts = 0;
  const waiting = calls.values();
  const work = async (): Promise<void> => {
    for (const call of waiting) {
      const valid = bodyOf(call);
      const path = pathTo(call);
      const tries = [
        ...(valid === undefined ? [] : bodiesNear(valid).map((body) => ({ path, body }))),
        ...pathsNear(call).map((odd) => ({ path: odd, body: valid })),
      ];
      for (const { path: tried, body } of tries) {
        attempts += 1;
        const { status, text } = await send(call, credentials[call.scheme ?? ''] ?? {}, tried, body);
        if (status >= 500 && status !== 503)
          faults.push(`${call.method} ${tried.slice(0, 200)} ${body?.slice(0, 200)}: ${status} ${text.slice(0, 100)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { faults, attempts };
};

/** Every operation of the description with each value of its example and each parameter replaced, by somebody who may call it. */
const fuzzedCalls: Attack = {
  name: 'every described operation with values that are not as they should be',
  run: async (cleanup) => {
    const world = await openDocumentedWorld(cleanup);
    const { faults, attempts } = await fuzz(world);
    const ready = (await fetch(`${world.url}/health/ready`)).status === 200;
    return {
      held: faults.length === 0 && ready,
      attempts,
      detail:
        faults.length === 0 ? `0 × 500 for ${world.calls.length} operations` : `${faults.length} faults: ${faults.slice(0, 20).join('; ')}`,
    };
  },
};

export const attacks: readonly Attack[] = [fuzzedCalls];
