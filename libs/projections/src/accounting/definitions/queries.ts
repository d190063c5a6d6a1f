import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
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
export { DEFINITIONS, definitionDocument, ownDefinition, typeDocument } from './documents.js';

/** Name of the read model, for caches that follow its commits. */
export const DEFINITIONS_READ_MODEL = DEFINITIONS;

/** Metric definitions, and the unit and metric types that were added to the shipped ones. */
export class DefinitionQueries extends queriesOf(DEFINITIONS) {
  /** `undefined` also if the text is not an id. */
  async definition(id: string): Promise<DefinitionRecord | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : definitions.get(this.view, stored);
  }

  /** In the order of the ids, in one round trip. Unknown ids are skipped. */
  async definitions(ids: readonly string[]): Promise<readonly DefinitionRecord[]> {
    const found = ids.length === 0 ? [] : await definitions.getMany(this.view, ids);
    return found.filter((record) => record !== undefined);
  }

  /** By id, in one round trip. Unknown ids are skipped. */
  async definitionsById(ids: readonly string[]): Promise<ReadonlyMap<string, DefinitionDocument>> {
    const records = await this.definitions([...new Set(ids)]);
    return new Map(records.map(({ document }) => [document.metric_definition_id, document]));
  }

  /** In order of creation, in the format of answers. */
  definitionList(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, definitionsInOrder, {}, window);
  }

  /** All definitions in order of creation, in batches. */
  async *allDefinitions(): AsyncGenerator<readonly OwnDefinitionDocument[]> {
    for await (const documents of documentsIn(this.view, definitionsInOrder.name, {}))
      yield documents.map(({ value }) => definitionsInOrder.parse(value));
  }

  /** An added type. `undefined` also if the text is not an id. */
  async type(kind: TypeKind, id: string): Promise<TypeRecord | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : types[kind].byId.get(this.view, stored);
  }

  /** Shipped types that were migrated with other ids, in the order of `ownIds`, in one round trip. `undefined`: the type has its usual id. */
  broughtOver(kind: TypeKind, ownIds: readonly string[]): Promise<readonly (Omit<TypeRecord, 'order'> | undefined)[]> {
    return types[kind].broughtOver.getMany(this.view, ownIds);
  }

  /** Added types in order of creation, in the format of answers. */
  typeList(kind: TypeKind, window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, types[kind].inOrder, {}, window);
  }
}
