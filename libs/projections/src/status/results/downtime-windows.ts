import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Day } from '#domain/shared/time.js';
import type { Downtime } from '#domain/status/downtimes/downtimes.js';
import { type DayWindow, endpointKey } from '#domain/status/results/plan.js';
import { downtimeOn } from '#domain/status/results/windows.js';
import type { Slice } from '#projections/shared/pages.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { StoredDayList } from '#projections/status/day-lists/queries.js';
import type { SizedValue } from './memory.js';

/** By endpoint. */
export type Windows = ReadonlyMap<string, readonly DayWindow[]>;

const readWindows = async (day: Day, downtimes: StoredDayList): Promise<Map<string, DayWindow[]>> => {
  const windows = new Map<string, DayWindow[]>();
  for await (const { items } of downtimes.items<Downtime>()) {
    for (const { item } of items) {
      const window = downtimeOn(day, item.start_time, item.end_time);
      if (!window || window.from >= window.to) continue;
      const key = endpointKey(item.service, item.hostname);
      getOrInsert(windows, key, () => []).push(window);
    }
  }
  return windows;
};

/** Merges windows into windows in order and without overlap, because there may be very many equal ones. */
const unionOf = async (windows: DayWindow[], slice: Slice): Promise<DayWindow[]> => {
  if (windows.length === 1) return windows;
  await sortInSlices(windows, (one, other) => one.from - other.from, slice);
  const united: DayWindow[] = [];
  for (const { from, to } of windows) {
    const last = united.at(-1);
    if (!last || from > last.to) united.push({ from, to });
    else if (to > last.to) united[united.length - 1] = { from: last.from, to };
  }
  return united;
};

/**
 * The downtimes of a day by endpoint, as windows in order and without overlap. Entries with invalid times are ignored (results contract 6).
 * @throws ReadStoreUnavailable
 */
export const windowsOf = async (day: Day, downtimes: StoredDayList, slice: Slice): Promise<SizedValue<Windows>> => {
  const windows = await readWindows(day, downtimes);
  let bytes = 100;
  for (const [key, some] of windows) {
    const united = await unionOf(some, slice);
    windows.set(key, united);
    bytes += 200 + 2 * key.length + 50 * united.length;
    if (slice.isOver) await slice.next();
  }
  return { value: windows, bytes };
};
