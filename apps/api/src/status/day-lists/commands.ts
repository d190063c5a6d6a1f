import { randomUUID } from 'node:crypto';
import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { allByBytes } from '#domain/shared/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type DayList, type DayListCommand, DayParts, type ListDay, streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import { dayListQueriesOf } from './providers.js';

/** Where an item of a list is in what was sent: offsets in bytes. */
export type ItemSpan = Readonly<{ start: number; end: number }>;

/** The items of a list as they were sent: where they are, and how each is read. Both throw MalformedJson. */
export type SentItems<Item> = Readonly<{ places(): Iterable<ItemSpan>; read(place: ItemSpan): Item }>;

/** `count`: items of the list that was written or deleted. */
export type DayListOutcome = Readonly<{ count: number; readable: boolean }>;

/**
 * Writes the list of a day that has none, or, with `replace`, in place of the one that it has. Subclasses name the kind of list.
 * Rejects with `DAY_TAKEN`, also for a malformed list; MalformedJson; `OVER_LIMIT`.
 */
export abstract class WriteDayList<Item> extends Command<DayListOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly date: Day,
    readonly items: () => SentItems<Item>,
    readonly replace = false,
  ) {
    super();
  }
}

/** Deletes the list of exactly that day. Rejects with `DAY_NOT_FOUND`. */
export abstract class DeleteDayList extends Command<DayListOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly date: Day,
  ) {
    super();
  }
}

/** The commands of one kind of list. */
export type DayListCommands<Item> = Readonly<{
  write: new (...of: ConstructorParameters<typeof WriteDayList<Item>>) => WriteDayList<Item>;
  delete: new (...of: ConstructorParameters<typeof DeleteDayList>) => DeleteDayList;
}>;

/** Items of lists that are longer than so many bytes are read twice, to check and to write them, and never all in memory. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** `texts`: where the item is listed. */
type SentItem<Item> = Readonly<{ read: () => Item; bytes: number; texts: readonly string[] }>;

/** Items that go into the log, and how. */
type Checked<Item> = Readonly<{ reads: readonly (() => Item)[]; layout: DayParts }>;

/** Reads every item before anything is written. @throws MalformedJson, DomainError `OVER_LIMIT` */
const check = async <Item extends object>(list: DayList<Item>, items: SentItems<Item>): Promise<Checked<Item>> => {
  const slice = new TimeSlice();
  const layout = new DayParts(list);
  const sent: SentItem<Item>[] = [];
  for (const place of items.places()) {
    const item = items.read(place);
    const read = place.end <= KEPT_BYTES ? () => item : () => items.read(place);
    sent.push({ read, bytes: layout.measure(item), texts: list.placedBy?.(item) ?? [] });
    if (slice.isOver) await slice.next();
  }
  if (list.placedBy) await sortInSlices(sent, (one, other) => allByBytes(one.texts, other.texts), slice);
  for (const { bytes } of sent) layout.place(bytes);
  return { reads: sent.map(({ read }) => read), layout };
};

/** The commands that write a list, some parts after the others: the list is there with the last of them. */
async function* uploadOf<Item extends object>(
  { context: { idempotency, ...context }, tenantId, date, replace }: WriteDayList<Item>,
  { reads, layout }: Checked<Item>,
): AsyncGenerator<Readonly<{ command: ListDay<Item>; context: CommandContext; isLast: boolean }>> {
  const slice = new TimeSlice();
  const upload = idempotency ? derivedId(idempotency.key) : randomUUID();
  const all = { type: 'ListDay', tenantId, date, upload, count: layout.count, parts: layout.parts, replace } as const;
  for (const [first, end] of layout.appends()) {
    const items: (readonly Item[])[] = [];
    for (let part = first; part < end; part++) {
      items.push(reads.slice(...layout.itemsOf(part)).map((read) => read()));
      if (slice.isOver) await slice.next();
    }
    const isLast = end === layout.parts;
    // A repeat sends the same parts again, so each stretch but the last is known by the key and its number.
    const key = idempotency && { idempotency: isLast ? idempotency : { ...idempotency, key: `${idempotency.key}.${first}` } };
    yield { command: { ...all, first, items }, context: { ...context, ...key }, isLast };
  }
}

/** The handlers of the commands of one kind of list. */
export const dayListHandlers = <Item extends object>(list: DayList<Item>, commands: DayListCommands<Item>): readonly Type[] => {
  const { decider } = list;

  const execute = async (
    gateway: CommandGateway,
    command: DayListCommand<Item>,
    context: CommandContext,
    awaited = true,
  ): Promise<DayListOutcome> => {
    const stream = streamOfDay(list, command.tenantId, command.date);
    const { events, readable } = await gateway.execute({ stream, decider, command, context }, awaited);
    const [event] = events;
    if (!event) throw new Error('a day list was written without an event');
    return { count: event.data.count, readable };
  };

  @CommandHandler(commands.write)
  class WriteHandler implements ICommandHandler<WriteDayList<Item>> {
    constructor(
      private readonly gateway: CommandGateway,
      @Inject(dayListQueriesOf(list)) private readonly queries: DayListQueries,
    ) {}

    async execute(command: WriteDayList<Item>): Promise<DayListOutcome> {
      const checked = await this.checked(command);
      let readable = true;
      for await (const step of uploadOf(command, checked))
        readable = (await execute(this.gateway, step.command, step.context, step.isLast)).readable && readable;
      return { count: checked.layout.count, readable };
    }

    /** A malformed list counts only for a day that has no list yet. */
    private async checked({ tenantId, date, items, replace }: WriteDayList<Item>): Promise<Checked<Item>> {
      try {
        return await check(list, items());
      } catch (error) {
        throw error instanceof MalformedJson && !replace && (await this.queries.has(tenantId, date)) ? new DomainError('DAY_TAKEN') : error;
      }
    }
  }

  @CommandHandler(commands.delete)
  class DeleteHandler implements ICommandHandler<DeleteDayList> {
    constructor(private readonly gateway: CommandGateway) {}

    execute({ context, tenantId, date }: DeleteDayList): Promise<DayListOutcome> {
      return execute(this.gateway, { type: 'DeleteDay', tenantId, date }, context);
    }
  }

  return [WriteHandler, DeleteHandler];
};
