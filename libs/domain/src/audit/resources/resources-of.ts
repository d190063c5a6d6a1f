import { accountingCatalogues } from '#domain/accounting/index.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { ACCESS_KEYS_CATEGORY, accessKeyEvents } from '#domain/operations/access-keys.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { type Mapping, none, type ResourceChange, type ResourceReference } from '#domain/shared/resource-change.js';
import { statusCatalogues } from '#domain/status/index.js';

const catalogues: Readonly<Record<string, EventCatalogue>> = {
  ...messagingCatalogues,
  ...accountingCatalogues,
  ...statusCatalogues,
  [ACCESS_KEYS_CATEGORY]: accessKeyEvents,
};

const mappingOf = (event: RecordedEvent): Mapping => {
  const types = catalogues[categoryOf(event.stream)];
  return (types && Object.hasOwn(types, event.type) && types[event.type]?.resource) || none;
};

/** Records of which an event changes a member; records that show a copy of the member are not included. Reads unsealed members only. */
export const resourcesOf = (event: RecordedEvent): readonly ResourceChange[] => mappingOf(event)(event);

const joined = (...parts: readonly string[]): string => parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');

/** Index term for the events of a record. */
export const resourceTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('id', service, kind, scope, id);

/** Index term for events of other records that changed a member of this one. */
export const besideTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('beside', service, kind, scope, id);

/** Index term for events that gave a record this name. */
export const nameTerm = ({ service, kind, scope = '' }: Omit<ResourceReference, 'id'>, name: string): string =>
  joined('name', service, kind, scope, name);

/** Index term for events that deleted a record together with everything it owned. */
export const endTerm = ({ service, kind, id, scope = '' }: ResourceReference): string => joined('end', service, kind, scope, id);

/** All index terms of an event, derived from the records that it changes. */
export const resourceTermsOf = (event: RecordedEvent): readonly string[] =>
  resourcesOf(event).flatMap((change) => [
    change.beside ? besideTerm(change) : resourceTerm(change),
    ...(change.name === undefined ? [] : [nameTerm(change, change.name)]),
    ...(change.ends ? [endTerm(change)] : []),
  ]);
