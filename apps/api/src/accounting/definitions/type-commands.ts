import type { Provider } from '@nestjs/common';
import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { type CommandClass, CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { type DefinitionCommand, definitions as decider, type TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type KnownType, KnownTypes } from './known-types.js';

type TypeValues = Readonly<{ value: string; description: string }>;

/** Adds a type. Subclasses name its kind. */
abstract class AddType extends CommandWith<Readonly<{ creatorId: string }> & TypeValues, WrittenRecord<KnownType>> {}

/** Changes an added type that is not in use. `typeId`: in the caller's spelling. */
abstract class ReviseType extends CommandWith<Readonly<{ typeId: string; changes: Partial<TypeValues> }>, WrittenRecord<KnownType>> {}

/** Deletes an added type that is not in use. `typeId`: in the caller's spelling. */
abstract class DeleteType extends CommandWith<Readonly<{ typeId: string }>, Outcome<DefinitionEvent>> {}

export class AddUnitType extends AddType {}
export class ReviseUnitType extends ReviseType {}
export class DeleteUnitType extends DeleteType {}
export class AddMetricType extends AddType {}
export class ReviseMetricType extends ReviseType {}
class DeleteMetricType extends DeleteType {}

/** The commands of one kind of type. */
type TypeCommands = Readonly<{ add: CommandClass<AddType>; revise: CommandClass<ReviseType>; delete: CommandClass<DeleteType> }>;

export const typeCommands: Readonly<Record<TypeKind, TypeCommands>> = {
  unit: { add: AddUnitType, revise: ReviseUnitType, delete: DeleteUnitType },
  metric: { add: AddMetricType, revise: ReviseMetricType, delete: DeleteMetricType },
};

const toTypes = (context: CommandContext, command: DefinitionCommand) => ({ stream: DEFINITIONS_STREAM, decider, context, command });

/** @throws DomainError `TYPE_NOT_FOUND` */
const current = (types: KnownTypes, kind: TypeKind, typeId: string): Promise<KnownType> =>
  known(types.find(kind, typeId), 'TYPE_NOT_FOUND', { kind, typeId });

/** The handlers of the commands of one kind. Types share a stream with the metric definitions, so the rules know which are in use. */
const handlersOf = (kind: TypeKind): readonly Provider[] => [
  handles(typeCommands[kind].add, [CommandGateway, ObjectIds], async ({ context, data }, gateway, ids) => {
    const { events, readable } = await gateway.execute(toTypes(context, { type: 'CreateType', kind, typeId: ids.next(), ...data }));
    return { record: eventOf(events, 'UnitTypeCreated', 'MetricTypeCreated').data, readable };
  }),

  handles(typeCommands[kind].revise, [CommandGateway, KnownTypes], async ({ context, data: { typeId, changes } }, gateway, types) => {
    const before = await current(types, kind, typeId);
    const command = { type: 'ReviseType', kind, typeId: before.typeId, changes } as const;
    const { events, readable } = await gateway.execute(toTypes(context, command));
    const [event] = events;
    const revised = event?.type === 'UnitTypeRevised' || event?.type === 'MetricTypeRevised';
    return { record: revised ? { ...before, ...event.data } : before, readable };
  }),

  handles(typeCommands[kind].delete, [CommandGateway, KnownTypes], async ({ context, data }, gateway, types) => {
    const { typeId } = await current(types, kind, data.typeId);
    return gateway.execute(toTypes(context, { type: 'DeleteType', kind, typeId }));
  }),
];

export const typeHandlers: readonly Provider[] = [...handlersOf('unit'), ...handlersOf('metric')];
