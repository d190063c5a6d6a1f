import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import { XML_TYPE } from '#api/status/xml.js';
import { type BranchBody, branchesJson, branchesXml } from './branches.js';

const INSTANT = 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts';
const PAGE_SIZE = { name: 'pageSize', required: false, description: 'rows per page; default all, as for 0 and less' };
const NEXT_PAGE = { name: 'nextPageToken', required: false, description: 'the token that the page before ended with' };
const VIEW = { name: 'view', required: false, description: 'details: with what thresholds did' };

/** The query parameters of calls for statuses, as OpenAPI describes them. `required`: the times. */
export const StatusQueries = (required = true) =>
  applyDecorators(
    ApiQuery({ name: 'start_time', required, description: INSTANT }),
    ApiQuery({ name: 'end_time', required, description: INSTANT }),
    ApiQuery(VIEW),
  );

/** The same with those of pages. */
export const PagedStatusQueries = () => applyDecorators(StatusQueries(), ApiQuery(PAGE_SIZE), ApiQuery(NEXT_PAGE));

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
