import { elementsOf, type JsonElement, linesOf } from '#api/shared/json/json-elements.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import * as errors from '#api/status/errors.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import { EventsOfResults, type MetricResult } from '#domain/status/metric-data/metric-data.js';
import { DETAIL_DEPTH } from '#projections/status/metric-data/queries.js';
import type { SubmittedResults } from './commands.js';
import { BadItem, readItem } from './metric-body.js';

/** Form of a body according to its content type; default an array. */
export type BodyForm = 'array' | 'lines';

/** Smaller items are never too large: a result takes at most eight times its bytes in an answer. */
const LARGE = STATUS_LIMITS.resultSize.value / 8;

/** @throws MalformedJson, BadItem; DomainError `OVER_LIMIT` for a result that is too large */
const itemIn = (body: Buffer, { start, end }: JsonElement): MetricResult => {
  const result = readItem(body.subarray(start, end));
  const { host: _, ...rest } = result;
  if (end - start > LARGE) sizeWithin('resultSize', rest, DETAIL_DEPTH);
  return result;
};

/** The error in an item. @throws MalformedJson in an array, which as a whole is not JSON then */
const flawOf = (error: unknown, form: BodyForm): string => {
  if (error instanceof BadItem) return error.message;
  if (error instanceof MalformedJson && form === 'lines') return 'not valid JSON';
  throw error;
};

/**
 * The results of a body, all checked before anything is stored. If the body is not JSON, that error takes precedence over any bad item.
 * `isJson`: set if it is known to be JSON; then the first bad item ends the check.
 * @throws MalformedJson; StatusError `E422` for the first bad item
 */
export const readMetricCall = async (body: Buffer, form: BodyForm, isJson: boolean): Promise<SubmittedResults> => {
  if (form === 'array' && !isJson) throw new MalformedJson('not JSON');
  const events = new EventsOfResults();
  let count = 0;
  const slice = new TimeSlice();
  for (const item of form === 'lines' ? linesOf(body) : elementsOf(body)) {
    if (slice.isOver) await slice.next();
    if (!item) continue;
    try {
      events.add([itemIn(body, item)], item.end - item.start);
    } catch (error) {
      throw errors.unprocessable(`line ${item.line}: ${flawOf(error, form)}`);
    }
    count++;
  }
  return { count, events: events.all() };
};
