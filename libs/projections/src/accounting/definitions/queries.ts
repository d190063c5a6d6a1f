import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { documentsIn } from '#projections/accounting/document-batches.js';
import { type Window, type WindowOf, windowOn } from '#projections/accounting/list-windows.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  DEFINITIONS,
  type DefinitionDocument,
  type DefinitionRecord,
  definitions,
  definitionsInOrder,
  type OwnDefinitionDocument,
  type TypeRecord,
  types,
} from './documents.js';

export type { DefinitionDocument, DefinitionRecord, OwnDefinitionDocument, TypeDocument, TypeRecord } from './documents.js';
export { definitionDocument, ownDefinition, typeDocument } from './documents.js';

/** Name of the read model, for caches that follow its commits. */
export const DEFINITIONS_READ_MODEL = DEFINITIONS;

/** Metric definitions, and the unit types and metric types that were added to the shipped ones. */
export class DefinitionQueries extends queriesOf(DEFINITIONS) {
  /** `undefined` also for a text that is no id. */
  async definition(id: string): Promise<DefinitionRecord | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : definitions.get(this.view, stored);
  }

  /** In the order of the ids; unknown ones are left out. One round trip. */
  async definitions(ids: readonly string[]): Promise<readonly DefinitionRecord[]> {
    const found = ids.length === 0 ? [] : await definitions.getMany(this.view, ids);
    return found.filter((record) => record !== undefined);
  }

  /** By id; unknown ones are left out. One round trip. */
  async definitionsById(ids: readonly string[]): Promise<ReadonlyMap<string, DefinitionDocument>> {
    const records = await this.definitions([...new Set(ids)]);
    return new Map(records.map(({ document }) => [document.metric_definition_id, document]));
  }

  /** In the order of their creation, as they stand in an answer. */
  definitionList(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, definitionsInOrder, {}, window);
  }

  /** All definitions in the order of their creation, some at a time. */
  async *allDefinitions(): AsyncGenerator<readonly OwnDefinitionDocument[]> {
    for await (const documents of documentsIn(this.view, definitionsInOrder.name, {}))
      yield documents.map(({ value }) => definitionsInOrder.parse(value));
  }

  /** A type that was added; `undefined` also for a text that is no id. */
  async type(kind: TypeKind, id: string): Promise<TypeRecord | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : types[kind].byId.get(this.view, stored);
  }

  /** Types that come with the service as they were brought over with other ids, in the order of `ownIds`; `undefined`: it has its own. One round trip. */
  broughtOver(kind: TypeKind, ownIds: readonly string[]): Promise<readonly (Omit<TypeRecord, 'order'> | undefined)[]> {
    return types[kind].broughtOver.getMany(this.view, ownIds);
  }

  /** The types that were added in the order of their creation, as they stand in an answer. */
  typeList(kind: TypeKind, window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, types[kind].inOrder, {}, window);
  }
}
