/** A place of a document under `docs` that a text names. `place`: the number of a section or an id; none = the document as a whole. */
export type Citation = Readonly<{ text: string; document: string; place?: string }>;

const DOCUMENTS: Readonly<Record<string, string>> = {
  messaging: 'contracts/messaging.md',
  accounting: 'contracts/accounting.md',
  status: 'contracts/status.md',
  extended: 'contracts/status-extended.md',
  results: 'contracts/results.md',
  operations: 'contracts/operations.md',
  console: 'contracts/console.md',
  design: 'design.md',
};

/** Pages on which the sections of a contract go on. */
export const CONTINUED: Readonly<Record<string, readonly string[]>> = {
  'contracts/accounting.md': ['contracts/accounting-routes.md', 'contracts/accounting-reports.md'],
  'contracts/messaging.md': ['routes', 'delivery', 'schemas', 'python-client', 'beyond'].map((page) => `contracts/messaging-${page}.md`),
  'contracts/status.md': ['contracts/status-records.md'],
  'contracts/operations.md': ['contracts/operations-integrity.md', 'contracts/operations-filling.md'],
  'contracts/results.md': ['contracts/results-routes.md'],
};

const PLACE = String.raw`(?:\d+(?:\.\d+)*|[A-Z]\d{1,2})\b`;
const PLACES = `${PLACE}(?:(?:, | and | to |; )${PLACE})*`;
const CONTRACT = new RegExp(
  `\\b(messaging|accounting|operations|console|results|extended status|status extended|extended|status) contract,? (${PLACES})`,
  'gi',
);
const CONTRACT_OF_2026 = new RegExp(`\\bstatus contract of 2026,? (${PLACES})`, 'gi');
const DESIGN = new RegExp(`\\bdesign(?:\\.md)?,? (?:section )?(${PLACES})`, 'g');
const MESSAGING_ERROR = new RegExp(`\\bMessagingError (${PLACES})`, 'g');
const DECISION = /\b(?:docs\/decisions\/|decision )(\d{4})\b/g;
/** A section of a contract that the text does not name, such as `contract 3.4` or `the contract's table (3.11)`. */
const UNNAMED =
  /(?<!\b(?:messaging|accounting|operations|console|results|extended|status) )\bcontract(?:'s)?(?: \d|[^.();]{0,40}\(\d+(?:\.\d+)*[,)])/gi;
/** Outside of the repository. */
const ELSEWHERE = /\.\.\/shared\/(?:spec|notes|design|style)|\bshared\/(?:spec|notes)\b|\b(?:stack|lmdb|eventstoredb)-facts\b/g;
const PATH = /(?<![\w./~-])(?:apps|libs|test|docs|tools)\/[\w./-]*[\w/](?![\w./-]*[*<{…$])/g;

/** Comments of a TypeScript file, each on one line. */
export const commentsIn = (code: string): readonly string[] =>
  Array.from(code.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g), ([comment]) =>
    comment.replace(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' '),
  );

const placesIn = (text: string): readonly string[] => text.split(/, | and | to |; /);

const cited = (text: string, pattern: RegExp, documentOf: (name: string) => string): readonly Citation[] =>
  Array.from(text.matchAll(pattern)).flatMap(([whole, first = '', second]) =>
    placesIn(second ?? first).map((place) => ({ text: whole, document: documentOf(first), place })),
  );

const contractNamed = (name: string): string => DOCUMENTS[/extended/i.test(name) ? 'extended' : name.toLowerCase()] ?? name;

/** What a text on one line cites of the documents. Decisions are named by their number alone: their document is `decisions/<number>`. */
export const citationsIn = (text: string): readonly Citation[] => [
  ...cited(text, CONTRACT, contractNamed),
  ...cited(text, CONTRACT_OF_2026, () => 'contracts/status-2026.md'),
  ...cited(text, DESIGN, () => 'design.md'),
  ...cited(text, MESSAGING_ERROR, () => 'contracts/messaging.md'),
  ...Array.from(text.matchAll(DECISION), ([whole, number]) => ({ text: whole, document: `decisions/${number}` })),
];

/** References that cannot lead anywhere: to a contract without a name, or to files beside the repository. */
export const dangling = (text: string): readonly string[] => [UNNAMED, ELSEWHERE].flatMap((pattern) => text.match(pattern) ?? []);

/** Files and folders of the repository that a text names; patterns and placeholders are none. */
export const pathsIn = (text: string): readonly string[] =>
  text.match(PATH)?.filter((path) => !/^docs\/decisions\/\d{4}$/.test(path)) ?? [];
