import { ACCESS_KEYS_CATEGORY } from '#domain/operations/access-keys.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { accountingResources } from './accounting-resources.js';
import { messagingResources } from './messaging-resources.js';
import { ended, type Mapping, none, type ResourceChange, type ResourceReference, text } from './resource-change.js';
import { statusResources } from './status-resources.js';

const key: Mapping = ({ data }) => [{ service: 'ops', kind: 'key', id: text(data, 'keyId') }];

/** What each type of event changes, by category: every type of the three services, and the keys of `ops`. */
export const resourceMappings: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  ...messagingResources,
  ...accountingResources,
  ...statusResources,
  [ACCESS_KEYS_CATEGORY]: {
    AccessKeyIssued: key,
    AccessKeyRevoked: ended(key),
    AccessKeysListed: none,
    AccessKeyCallRefused: none,
  },
};

const mappingOf = (event: RecordedEvent): Mapping => {
  const types = resourceMappings[categoryOf(event.stream)];
  return (types && Object.hasOwn(types, event.type) && types[event.type]) || none;
};

/** The records of which an event changes a member; not those that show a copy of such a member. Reads unsealed members only. */
export const resourcesOf = (event: RecordedEvent): readonly ResourceChange[] => mappingOf(event)(event);

const joined = (...parts: readonly string[]): string => parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');

/** Under which the events of a record are found. */
export const resourceTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('id', service, kind, scope, id);

/** Under which the events of other records are found that changed a member of this one. */
export const besideTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('beside', service, kind, scope, id);

/** Under which the events are found that gave a record this name. */
export const nameTerm = ({ service, kind, scope = '' }: Omit<ResourceReference, 'id'>, name: string): string =>
  joined('name', service, kind, scope, name);

/** Under which the events are found that deleted a record, and with it all that it owned. */
export const endTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('end', service, kind, scope, id);

/** All terms under which an index finds an event by the records that it changes. */
export const resourceTermsOf = (event: RecordedEvent): readonly string[] =>
  resourcesOf(event).flatMap((change) => [
    change.beside ? besideTerm(change) : resourceTerm(change),
    ...(change.name === undefined ? [] : [nameTerm(change, change.name)]),
    ...(change.ends ? [endTerm(change)] : []),
  ]);
