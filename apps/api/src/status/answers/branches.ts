import type { Piece, Pieces } from '#api/shared/answers/pieces.js';
import { wireText } from '#projections/status/layout.js';
import { arrayTexts, line, memberTexts } from './json-texts.js';
import { NARROW, openTag, type XmlLayout, xmlOf } from './xml.js';

/** Members of a status in addition to its time and value; those without a value are omitted. */
export type StatusDetails = Readonly<{
  affected_by_threshold_rule?: true;
  actual_data?: string | undefined;
  threshold_rule_applied?: string | undefined;
  original_status?: string | undefined;
}>;

/** A status in answers. */
export type ShownStatus = Readonly<{ timestamp: string; value: string; details?: StatusDetails | undefined }>;

/** An item with its statuses and the items below it, for JSON and XML. It can be read once. */
export type Branch = Readonly<{
  tag: string;
  /** Attributes of its XML element. */
  attributes: Readonly<Record<string, string>>;
  /** Members before statuses and items; those without a value are omitted. */
  members: Readonly<Record<string, unknown>>;
  statuses?: Iterable<ShownStatus> | undefined;
  /** Name of their JSON array. Default `statuses`. */
  statusesName?: string | undefined;
  below?: Branches | undefined;
}>;

/** Items of one level, with the name of their JSON array. */
type Branches = Readonly<{ name: string; items: Iterable<Branch> }>;

/** The outermost level; `items` is `null` if the answer shows `null`. */
type Outermost = Readonly<{ name: string; items: Iterable<Branch> | null }>;

/** An answer: the members before and after the outermost items. XML shows only the items. `layout`: of its XML, default `NARROW`. */
export type BranchBody = Readonly<{
  before?: Readonly<Record<string, unknown>>;
  branches: Outermost;
  after?: Readonly<Record<string, unknown>> | undefined;
  layout?: XmlLayout;
}>;

const statusJson = ({ timestamp, value, details }: ShownStatus, depth: number): string => {
  const head = `{${line(depth + 1)}"timestamp": ${wireText(timestamp)},${line(depth + 1)}"value": ${wireText(value)}`;
  return `${[head, ...(details ? memberTexts(details, depth) : [])].join(',')}${line(depth)}}`;
};

/** An array as member of an object at a depth. */
function* arrayJson<One>(name: string, items: Iterable<One>, depth: number, textOf: (item: One) => Iterable<string>): Generator<string> {
  yield `${line(depth + 1)}"${name}": `;
  yield* arrayTexts(mapped(items, textOf), depth + 2);
}

function* mapped<One, Other>(items: Iterable<One>, change: (item: One) => Other): Generator<Other> {
  for (const item of items) yield change(item);
}

function* branchJson({ members, statuses, statusesName = 'statuses', below }: Branch, depth: number): Generator<string> {
  yield `{${memberTexts(members, depth).join(',')}`;
  if (statuses) {
    yield ',';
    yield* arrayJson(statusesName, statuses, depth, (status) => [statusJson(status, depth + 2)]);
  }
  if (below) {
    yield ',';
    yield* arrayJson(below.name, below.items, depth, (branch) => branchJson(branch, depth + 2));
  }
  yield `${line(depth)}}`;
}

function* bodyJson({ before = {}, branches, after = {} }: BranchBody): Generator<string> {
  yield ['{', ...memberTexts(before, 0).map((member) => `${member},`)].join('');
  if (branches.items) yield* arrayJson(branches.name, branches.items, 0, (branch) => branchJson(branch, 2));
  else yield `${line(1)}"${branches.name}": null`;
  yield [...memberTexts(after, 0).map((member) => `,${member}`), '\n}'].join('');
}

function* branchXml({ tag, attributes, statuses = [], below }: Branch, { prefix, step }: XmlLayout): Generator<string> {
  yield `\n${prefix}${openTag(tag, attributes)}`;
  const layout = { prefix: prefix + step, step };
  for (const { timestamp, value } of statuses) yield `\n${xmlOf({ name: 'status', attributes: { timestamp, value } }, layout)}`;
  for (const branch of below?.items ?? []) yield* branchXml(branch, layout);
  yield `\n${prefix}</${tag}>`;
}

function* bodyXml({ branches, layout: { prefix, step } = NARROW }: BranchBody): Generator<string> {
  yield `${prefix}<root>`;
  let isEmpty = true;
  for (const branch of branches.items ?? []) {
    isEmpty = false;
    yield* branchXml(branch, { prefix: prefix + step, step });
  }
  yield isEmpty ? '</root>' : `\n${prefix}</root>`;
}

/** Texts that are emitted together. */
const TOGETHER = 256;

async function* inPieces(texts: Iterable<string>): Pieces {
  let together: Piece[] = [];
  for (const text of texts) {
    if (together.push(text) < TOGETHER) continue;
    yield together;
    together = [];
  }
  yield together;
}

/** The body as JSON (status contract 1.8). */
export const branchesJson = (body: BranchBody): Pieces => inPieces(bodyJson(body));

/** The body in XML, without details of statuses, info and paging (results contract 12.2, 12.3). */
export const branchesXml = (body: BranchBody): Pieces => inPieces(bodyXml(body));
