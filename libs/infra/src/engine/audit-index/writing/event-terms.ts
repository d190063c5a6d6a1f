import { resourceTermsOf } from '#domain/audit/resources/resources-of.js';
import { ACCESS_KEYS_STREAM, isAccessKeyEvent } from '#domain/operations/access-keys.js';
import { commandPartOf } from '#domain/shared/event-ids.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { actorText, type TermKind } from '../terms.js';

export type NamedTerm = readonly [kind: TermKind, text: string];

/** Terms that all events of one type have that a command has caused, except those of its stream. */
export const commonTermsOf = ({ stream, type, id, metadata }: RecordedEvent): readonly NamedTerm[] => {
  const { actor, service, requestId, correlationId, causationId } = metadata;
  const terms: NamedTerm[] = [
    ['category', categoryOf(stream)],
    ['type', type],
    ['actor', actorText(actor, service)],
    ['service', service],
    ['event', commandPartOf(id)],
  ];
  if (requestId === correlationId) terms.push(['requestAndCorrelation', requestId]);
  else terms.push(['requestOnly', requestId], ['correlationOnly', correlationId]);
  if (causationId !== requestId && causationId !== correlationId) terms.push(['causationOnly', causationId]);
  return terms;
};

/** The terms of what an event says. */
export const ownTermsOf = (event: RecordedEvent): readonly NamedTerm[] => {
  const terms = Array.from(resourceTermsOf(event), (resource): NamedTerm => ['resource', resource]);
  if (event.stream === ACCESS_KEYS_STREAM && isAccessKeyEvent(event) && event.type === 'AccessKeyIssued')
    terms.push(['keyName', `${event.data.keyId}\0${event.data.name}`]);
  return terms;
};

/** Approximate length of the JSON text of a value: numbers and escapes are ignored. */
export const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charactersOf(one) + 1, 2);
  let characters = 2;
  for (const name of Object.keys(value)) characters += name.length + charactersOf(value[name as keyof typeof value]) + 4;
  return characters;
};
