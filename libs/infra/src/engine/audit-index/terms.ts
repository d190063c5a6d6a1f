import { hash } from 'node:crypto';

/**
 * Kinds of keys under which events are found. A key is a letter and the bytes of a text, each as one character, so that keys sort by bytes.
 * Streams come last, because entries name them by their rank among the streams of a piece.
 */
const TERM_KINDS = {
  /** Id, kind and service, separated by zeros. */
  actor: 'a',
  category: 'c',
  /** By category: events lost before they could be indexed. */
  expired: 'e',
  /** By category: the first event of each stream. */
  streamBegin: 'd',
  /** Common part of the ids of the events of one command. */
  event: 'i',
  /** Id and name of a key, separated by a zero: the event that issued it. */
  keyName: 'k',
  /** Events that have the text as causation id, and as no other id. */
  causationOnly: 'b',
  /** Events that have the text only as request id; only as correlation id; as both. The causation id may be the same, too. */
  requestOnly: 'o',
  correlationOnly: 'p',
  requestAndCorrelation: 'q',
  resource: 'r',
  service: 's',
  type: 't',
  stream: 'z',
} as const;

export type TermKind = keyof typeof TERM_KINDS;
export type Term = string;

export const ACTOR_KINDS = ['key', 'user', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
export type ActorName = Readonly<{ kind: ActorKind; id: string }>;

/** Number of hash bytes that stand for a text. Collisions are resolved by reading the events. */
const HASH_BYTES = 6;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Key that contains the text itself. */
export const termOf = (kind: TermKind, text: string): Term =>
  TERM_KINDS[kind] + (BEYOND_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text);

/** Kinds with texts chosen by clients, and their length; and ids of events, which an import may choose. */
const HASHED: ReadonlySet<TermKind> = new Set([
  'event',
  'causationOnly',
  'requestOnly',
  'correlationOnly',
  'requestAndCorrelation',
  'resource',
]);

/** Key of a text in an index, for some kinds a part of its hash. Without the index's salt nobody can choose two texts with the same key. */
export const termIn = (salt: string, kind: TermKind, text: string): Term =>
  HASHED.has(kind) ? TERM_KINDS[kind] + hash('sha256', salt + text, 'binary').slice(0, HASH_BYTES) : termOf(kind, text);

/** Term of an actor. */
export const actorText = ({ id, kind }: ActorName, service: string): string => `${id}\0${kind}\0${service}`;

export const isStream = (term: Term): boolean => term.startsWith(TERM_KINDS.stream);

/** Text of a key that contains the text itself. */
export const textOf = (term: Term): string => (BEYOND_ASCII.test(term) ? Buffer.from(term, 'latin1').toString('utf8', 1) : term.slice(1));

/** Ids may contain zeros; kinds and services do not. */
export const actorOf = (term: Term): ActorName & Readonly<{ service: string }> => {
  const parts = textOf(term).split('\0');
  const [kind, service] = parts.splice(-2) as [ActorKind, string];
  return { id: parts.join('\0'), kind, service };
};
