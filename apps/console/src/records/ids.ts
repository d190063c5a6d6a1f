import { isNamed } from './named.js';
import type { Reference } from './places.js';

/**
 * Place of a value in a record or in the data of an event. `service`: of the record or event. `project`: id of the messaging project around the value.
 * `member`: its name; an item has that of its list. `holder` and `type`: member in which the object around it stands, and its member `type`.
 */
export type ValuePlace = Readonly<{
  service: string;
  project?: string | undefined;
  member?: string | undefined;
  holder?: string | undefined;
  type?: string | undefined;
}>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Place of a member of an object, or of an item of a list. */
export const spotIn = (spot: ValuePlace, container: object, member: string): ValuePlace => {
  if (Array.isArray(container)) return spot;
  const { projectId, type } = container as Readonly<Record<string, unknown>>;
  return { ...spot, project: textOf(projectId) ?? spot.project, member, holder: spot.member, type: textOf(type) };
};

/** A project, topic or subscription by its full name, as messaging writes it: `projects/p/topics/t`, in answers of its API with a slash before it. */
type FullName = Readonly<{ fullName: string }>;

/** Meaning of a value. */
export type ReferredRecord = Reference | FullName;

const FULL_NAME = /^\/?projects\/[^/:]+(\/(topics|subscriptions)\/[^/:]+)?$/;

/** Members with an id that do not end as one, by service. */
const PLAIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  messaging: { createdBy: 'user', by: 'user', users: 'user' },
  accounting: { organisation: 'provider' },
  status: { tenants: 'tenant' },
};

/** Words of members that differ from the kind. `client_id` is the one under which a server is known to a provider of identities. */
const KINDS: Readonly<Record<string, string>> = { definition: 'metric_definition', actor: 'client', former: 'report', client: '' };

/** Services whose records a service refers to, besides its own. */
const OTHERS: Readonly<Record<string, string>> = { status: 'messaging', ops: 'messaging' };

/** `metricDefinition`, `metric_definition` → `metric_definition` */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Word of the name of a member that says which kind of id it has. */
const wordOf = ({ service, member = '', holder = '', type }: ValuePlace): string | undefined => {
  if (member === 'id') return holder === 'profiles' ? `${type}_profile` : snake(holder).replace(/(?<=[^s])s$/, '');
  const [, word] = /^(.+?)(?:_ids?|Ids?)$/.exec(member) ?? [];
  return word === undefined ? PLAIN[service]?.[member] : snake(word);
};

/**
 * Record that a value stands for: by its full name, or by the name of its member; `undefined` if it is neither a full name nor an id of a record with a name.
 * A `creator_id` is none: it lacks the issuer of the actor.
 */
export const meantBy = (spot: ValuePlace, value: unknown): ReferredRecord | undefined => {
  if (typeof value === 'string' && FULL_NAME.test(value)) return { fullName: value };
  const word = wordOf(spot);
  // Marks of what is not shown, such as `[personal]`, are no ids.
  if (word === undefined || typeof value !== 'string' || value === '' || /^\[\w+\]$/.test(value)) return undefined;
  const kind = KINDS[word] ?? word;
  const service = [spot.service, OTHERS[spot.service] ?? spot.service].find((one) => isNamed(one, kind));
  if (service === undefined) return undefined;
  const isInProject = service === 'messaging' && ['topic', 'subscription', 'schema'].includes(kind);
  if (isInProject && spot.project === undefined) return undefined;
  return { service, kind, id: value, ...(isInProject && { scope: spot.project }) };
};

/** By line of a value as JSON with a line for each member, trimmed and without its comma: the id in it and what it stands for. */
export type LinesWithIds = ReadonlyMap<string, Readonly<{ id: string; meant: ReferredRecord }>>;

export const linesWithIds = (spot: ValuePlace, ...values: readonly unknown[]): LinesWithIds => {
  const found = new Map<string, { id: string; meant: ReferredRecord }>();
  const look = (at: ValuePlace, value: unknown, before: string): void => {
    if (typeof value === 'string') {
      const meant = meantBy(at, value);
      if (meant) found.set(`${before}${JSON.stringify(value)}`, { id: value, meant });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [member, part] of Object.entries(value))
        look(spotIn(at, value, member), part, isList ? '' : `${JSON.stringify(member)}: `);
    }
  };
  for (const value of values) look(spot, value, '');
  return found;
};
