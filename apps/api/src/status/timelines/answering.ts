import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { parameter, requiredParameter } from '#api/shared/openapi/described.js';
import { oneOf } from '#api/shared/openapi/shape.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import { XML_TYPE } from '#api/status/xml.js';
import { type BranchBody, branchesJson, branchesXml } from './branches.js';

const INSTANT = 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts';
const START = '2026-03-01T00:00:00Z';
const END = '2026-03-01T23:59:59Z';
const VIEW = { view: parameter(oneOf('details', 'latest'), 'details: with what thresholds did') };

/** The parameters of calls for statuses. */
export const TIMES = {
  start_time: requiredParameter('instant', INSTANT, START),
  end_time: requiredParameter('instant', INSTANT, END),
  ...VIEW,
};

/** The same of calls that have a default for the times. */
export const TIMES_IF_ANY = { start_time: parameter('instant', INSTANT, START), end_time: parameter('instant', INSTANT, END), ...VIEW };

/** The same with those of pages. */
export const PAGED_TIMES = {
  ...TIMES,
  pageSize: parameter('integer', 'rows per page; default all, as for 0 and less'),
  nextPageToken: parameter('text', 'the token that the page before ended with'),
};

async function* until(pieces: Pieces, done: () => void): Pieces {
  try {
    yield* pieces;
  } finally {
    done();
  }
}

/** The answer in the form that the caller prefers. `done` is called when its body has been made, or the caller is gone. */
export const answerOf = async (body: BranchBody, format: WireFormat, done: () => void): Promise<Answer> => {
  if (format === 'json') return json(await bodyOfPieces(until(branchesJson(body), done)));
  return new Answer(await bodyOfPieces(until(branchesXml(body), done)), { type: XML_TYPE });
};
