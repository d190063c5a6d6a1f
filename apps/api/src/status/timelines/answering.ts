import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import { XML_TYPE } from '#api/status/xml.js';
import { type BranchBody, branchesJson, branchesXml } from './branches.js';

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
