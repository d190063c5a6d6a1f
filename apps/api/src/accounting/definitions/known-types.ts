import { Injectable } from '@nestjs/common';
import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES, type ShippedType } from '#domain/accounting/definitions/shipped-types.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DefinitionQueries, type TypeRecord, typeDocument } from '#projections/accounting/definitions/queries.js';
import type { Window, WindowOf } from '#projections/accounting/list-windows.js';

/** A type that comes with the service, or that was added. */
export type KnownType = Omit<TypeRecord, 'order'>;

type ShippedView = Readonly<{ type: KnownType; text: string }>;

/** The creator of a shipped type is empty. */
const viewsOf = (kind: TypeKind, shipped: readonly ShippedType[]): readonly ShippedView[] =>
  shipped.map((one) => {
    const type = { ...one, creatorId: '' };
    return { type, text: JSON.stringify(typeDocument(kind, type)) };
  });

/** The unit types and metric types: first the shipped ones, then the others in the order of their creation. */
@Injectable()
export class KnownTypes {
  private readonly shipped = { unit: viewsOf('unit', SHIPPED_UNIT_TYPES), metric: viewsOf('metric', SHIPPED_METRIC_TYPES) } as const;

  constructor(private readonly queries: DefinitionQueries) {}

  async find(kind: TypeKind, id: string): Promise<KnownType | undefined> {
    const typeId = storedObjectId(id);
    if (typeId === undefined) return undefined;
    return this.shipped[kind].find(({ type }) => type.typeId === typeId)?.type ?? this.queries.type(kind, typeId);
  }

  /** As they stand in an answer. */
  async list(kind: TypeKind, { offset, size }: Window): Promise<WindowOf<Buffer | string>> {
    const shipped = this.shipped[kind];
    const first = shipped.slice(offset, offset + size).map(({ text }) => text);
    const added = await this.queries.typeList(kind, { offset: Math.max(0, offset - shipped.length), size: size - first.length });
    return { content: [...first, ...added.content], total: shipped.length + added.total };
  }
}
