import { requireRoom, requireSize } from '#domain/accounting/limits.js';
import { DomainError } from '#domain/shared/decider.js';
import type { DefinitionEvent, NewType } from './definition-events.js';
import type { ShippedType } from './shipped-types.js';

/** The two vocabularies of types for metric definitions. */
export type TypeKind = 'unit' | 'metric';

type Typed = Readonly<{ kind: TypeKind; typeId: string }>;

export type TypeCommand =
  | (Readonly<{ type: 'CreateType'; creatorId: string; value: string; description: string | null }> & Typed)
  | (Readonly<{ type: 'ReviseType'; changes: Readonly<{ value?: string; description?: string }> }> & Typed)
  | (Readonly<{ type: 'DeleteType' }> & Typed);

type KnownType = Readonly<{ value: string; description: string | null; shipped: boolean }>;

/** Values and names are compared ignoring letter case: the keys of the lookup maps are lower-case. */
export type Vocabulary = Readonly<{
  types: Map<string, KnownType>;
  shippedCount: number;
  /** Type ids by value: several only if they were migrated. */
  values: Map<string, readonly string[]>;
  /** Number of definitions by type value. */
  uses: Map<string, number>;
}>;

export const folded = (text: string): string => text.toLowerCase();

const requireFreeValue = ({ values }: Vocabulary, { kind, typeId }: Typed, value: string): void => {
  const holder = values.get(folded(value))?.find((id) => id !== typeId);
  if (holder !== undefined) throw new DomainError('TYPE_TAKEN', { kind, typeId: holder });
};

/** Returns the type if it can be changed, that is, if it is neither shipped nor in use. `change`: suffix of the error code. */
const changeable = (vocabulary: Vocabulary, { kind, typeId }: Typed, change: 'UPDATE' | 'DELETE'): KnownType => {
  const known = vocabulary.types.get(typeId);
  if (!known) throw new DomainError('TYPE_NOT_FOUND', { kind, typeId });
  if (known.shipped) throw new DomainError(`TYPE_SHIPPED_${change}`, { kind });
  if (vocabulary.uses.has(folded(known.value))) throw new DomainError(`TYPE_USED_${change}`, { kind });
  return known;
};

/** Decides a command about a type of this vocabulary. Rejects with the errors of types, see `definitions`. */
export const decideType = (command: TypeCommand, vocabulary: Vocabulary): readonly DefinitionEvent[] => {
  const { kind, typeId } = command;
  switch (command.type) {
    case 'CreateType': {
      const { creatorId, value, description } = command;
      requireFreeValue(vocabulary, command, value);
      requireRoom('addedTypes', vocabulary.types.size - vocabulary.shippedCount);
      requireSize({ value, description });
      return [{ type: kind === 'unit' ? 'UnitTypeCreated' : 'MetricTypeCreated', data: { typeId, creatorId, value, description } }];
    }
    case 'ReviseType': {
      const before = changeable(vocabulary, command, 'UPDATE');
      const { value = before.value, description = before.description } = command.changes;
      if (folded(value) !== folded(before.value)) requireFreeValue(vocabulary, command, value);
      requireSize({ value, description }, { value: before.value, description: before.description });
      if (value === before.value && description === before.description) return [];
      return [{ type: kind === 'unit' ? 'UnitTypeRevised' : 'MetricTypeRevised', data: { typeId, value, description } }];
    }
    case 'DeleteType':
      changeable(vocabulary, command, 'DELETE');
      return [{ type: kind === 'unit' ? 'UnitTypeDeleted' : 'MetricTypeDeleted', data: { typeId } }];
  }
};

/** Changes the number of definitions that use a type value. */
export const countUse = ({ uses }: Vocabulary, value: string, change: 1 | -1): void => {
  const key = folded(value);
  const total = (uses.get(key) ?? 0) + change;
  if (total > 0) uses.set(key, total);
  else uses.delete(key);
};

/** Removes an id from those under a key. */
export const forgetId = (idsByKey: Map<string, readonly string[]>, key: string, id: string): void => {
  const others = (idsByKey.get(key) ?? []).filter((other) => other !== id);
  if (others.length > 0) idsByKey.set(key, others);
  else idsByKey.delete(key);
};

export const keepId = (idsByKey: Map<string, readonly string[]>, key: string, id: string): void => {
  idsByKey.set(key, [...(idsByKey.get(key) ?? []), id]);
};

export const forgetType = ({ types, values }: Vocabulary, typeId: string): void => {
  const before = types.get(typeId);
  if (before) forgetId(values, folded(before.value), typeId);
  types.delete(typeId);
};

export const keepType = (vocabulary: Vocabulary, { typeId, value, description }: Omit<NewType, 'creatorId'>, shipped: boolean): void => {
  forgetType(vocabulary, typeId);
  vocabulary.types.set(typeId, { value, description, shipped });
  keepId(vocabulary.values, folded(value), typeId);
};

/** Keeps a created type; a migrated one may replace a shipped one. */
export const keepNewType = (vocabulary: Vocabulary, type: NewType): void => {
  if (type.replaces !== undefined) forgetType(vocabulary, type.replaces);
  keepType(vocabulary, type, type.replaces !== undefined);
};

/** The vocabulary before any event. */
export const vocabularyOf = (shipped: readonly ShippedType[]): Vocabulary => {
  const vocabulary: Vocabulary = { types: new Map(), shippedCount: shipped.length, values: new Map(), uses: new Map() };
  for (const type of shipped) keepType(vocabulary, type, true);
  return vocabulary;
};
