import { Injectable } from '@nestjs/common';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES } from '#domain/accounting/definitions/shipped-types.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DefinitionQueries, type TypeRecord, typeDocument } from '#projections/accounting/definitions/queries.js';
import type { Window, WindowOf } from '#projections/accounting/list-windows.js';

/** A shipped or added type. */
export type KnownType = Omit<TypeRecord, 'order'>;

const SHIPPED = { unit: SHIPPED_UNIT_TYPES, metric: SHIPPED_METRIC_TYPES } as const;

/** Unit types and metric types: first the shipped ones, then the added ones in the order of their creation. */
@Injectable()
export class KnownTypes {
  constructor(private readonly queries: DefinitionQueries) {}

  async find(kind: TypeKind, id: string): Promise<KnownType | undefined> {
    const typeId = storedObjectId(id);
    if (typeId === undefined) return undefined;
    return (await this.queries.type(kind, typeId)) ?? (await this.shipped(kind)).find((type) => type.typeId === typeId);
  }

  /** In their answer form. */
  async list(kind: TypeKind, { offset, size }: Window): Promise<WindowOf<Buffer | string>> {
    const shipped = await this.shipped(kind);
    const first = shipped.slice(offset, offset + size).map((type) => JSON.stringify(typeDocument(kind, type)));
    const added = await this.queries.typeList(kind, { offset: Math.max(0, offset - shipped.length), size: size - first.length });
    return { content: [...first, ...added.content], total: shipped.length + added.total };
  }

  /** In their order, with their ids in this installation; their creator is empty. */
  private async shipped(kind: TypeKind): Promise<readonly KnownType[]> {
    const own = SHIPPED[kind];
    const broughtOver = await this.queries.broughtOver(
      kind,
      own.map(({ typeId }) => typeId),
    );
    return own.map((type, place) => broughtOver[place] ?? { ...type, creatorId: '' });
  }
}
