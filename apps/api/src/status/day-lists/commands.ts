import { randomUUID } from 'node:crypto';
import type { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { aside, withoutKey } from '#api/shared/commands/context-now.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { allByBytes } from '#domain/shared/text/text-order.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { dayListCallStream, dayListCalls } from '#domain/status/day-lists/day-list-calls.js';
import { type DayList, type DayListCommand, DayParts, type ListDay, streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import { dayListQueriesOf } from './providers.js';

/** Place of an item in the sent body: offsets in bytes. */
type ItemSpan = Readonly<{ start: number; end: number }>;

/** Items of a sent list: their places, and a function that reads one. Both throw MalformedJson. */
export type SentItems<Item> = Readonly<{ places(): Iterable<ItemSpan>; read(place: ItemSpan): Item }>;

/** `count`: number of items in the written or deleted list. */
type DayListOutcome = Readonly<{ count: number; readable: boolean }>;

type OfDay = Readonly<{ tenantId: string; date: Day }>;

/**
 * A list to write on a day, which must have none without `replace`. `undated`: the call names no day, so a repeat of it may come on a later one than the
 * first call.
 */
type ListToWrite<Item> = OfDay & Readonly<{ items: () => SentItems<Item>; replace?: boolean; undated?: boolean }>;

/** Items of lists above this size are read twice, to check and to write them, and never held in memory together. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** `texts`: sort keys of the item. */
type SentItem<Item> = Readonly<{ read: () => Item; bytes: number; texts: readonly string[] }>;

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

const isOfList = (error: unknown): boolean =>
  error instanceof MalformedJson || (error instanceof DomainError && error.code === 'OVER_LIMIT');

/** An error in a list counts only if the day has no list yet. */
const checkedFor = async <Item extends object>(
  list: DayList<Item>,
  queries: DayListQueries,
  { tenantId, date, items, replace }: ListToWrite<Item>,
): Promise<Checked<Item>> => {
  try {
    return await check(list, items());
  } catch (error) {
    throw isOfList(error) && !replace && (await queries.has(tenantId, date)) ? new DomainError('DAY_TAKEN', { date }) : error;
  }
};

/** Appends all parts except the last ones, which complete the list. Returns the command that writes these. */
const upload = async <Item extends object>(
  { tenantId, date, replace = false }: ListToWrite<Item>,
  { reads, layout }: Checked<Item>,
  id: string,
  append: (command: ListDay<Item>) => Promise<unknown>,
): Promise<ListDay<Item>> => {
  const slice = new TimeSlice();
  const { count, parts } = layout;
  let command: ListDay<Item> = { type: 'ListDay', tenantId, date, upload: id, count, parts, replace, first: 0, items: [] };
  for (const [first, end] of layout.appends()) {
    const items: (readonly Item[])[] = [];
    for (let part = first; part < end; part++) {
      items.push(reads.slice(...layout.itemsOf(part)).map((read) => read()));
      if (slice.isOver) await slice.next();
    }
    command = { ...command, first, items };
    if (end < parts) await append(command);
  }
  return command;
};

/** The day of a call, which its `Idempotency-Key` fixes: a repeat may come after midnight, or to a node whose clock has not reached it. */
const dayOfCall = async (gateway: CommandGateway, context: CommandContext, date: Day): Promise<Day> => {
  const { idempotency } = context;
  if (!idempotency) return date;
  const call = { stream: dayListCallStream(idempotency.key), decider: dayListCalls, context: { ...aside(context), idempotency } };
  const { events } = await gateway.execute({ ...call, command: { type: 'SubmitDayList', date } }, false); // calls are in no read model
  return events[0]?.data.date ?? date;
};

/** Up to 1.0.0 the day of a call was not fixed: its key is known on the day on which it was made. */
const earlierDays = (today: Day): readonly Day[] => [dayBefore(today), dayBefore(dayBefore(today))];

/** The commands of one kind of list. */
export const dayListCommands = <Item extends object>(list: DayList<Item>) => {
  const toDay = toStreams(list.decider, ({ tenantId, date }: DayListCommand<Item>) => streamOfDay(list, tenantId, date));

  return {
    /** Writes the list of a day and returns that day. Rejects with `DAY_TAKEN` before MalformedJson and `OVER_LIMIT`. */
    write: commandWith(
      [dayListQueriesOf(list)],
      async (data: ListToWrite<Item>, { context, gateway }, queries): Promise<DayListOutcome & Pick<OfDay, 'date'>> => {
        const checked = await checkedFor(list, queries, data);
        const { count } = checked.layout;
        const { tenantId } = data;
        const date = await dayOfCall(gateway, context, data.date);
        // Names the stream and the key, and is not executed.
        const target = (day: Day) => toDay(context, { type: 'DeleteDay', tenantId, date: day });
        for (const day of [date, ...(data.undated ? earlierDays(data.date) : [])]) {
          const first = await gateway.repeated(target(day)); // of the last 48 hours
          if (first) return { count, date: day, readable: first.readable };
        }
        // Only the last parts use the key, so a repeat of a refused call is decided anew. One beside the first call goes on with its parts.
        const { idempotency } = context;
        const id = idempotency ? derivedId(`${idempotency.key} ${idempotency.body}`) : randomUUID();
        const append = (command: ListDay<Item>) => gateway.execute(toDay(withoutKey(context), command), false);
        const complete = (command: ListDay<Item>) => gateway.execute(toDay(context, command));
        const { readable } = await gateway.executeAfter(target(date), () => upload({ ...data, date }, checked, id, append), complete);
        return { count, date, readable };
      },
    ),

    /** Deletes the list of exactly this day. Rejects with `DAY_NOT_FOUND`. */
    delete: commandWith([], async (data: OfDay, { context, gateway }): Promise<DayListOutcome> => {
      const { events, readable } = await gateway.execute(toDay(context, { type: 'DeleteDay', ...data }));
      return { count: eventOf(events, list.events.deleted).data.count, readable };
    }),
  };
};

export type DayListCommands<Item extends object> = ReturnType<typeof dayListCommands<Item>>;
