import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody, StrictQuery } from '#api/ops-kit/strict-input.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { ChainBehind, Integrity } from '#infra/engine/integrity/integrity.js';
import { CannotSign } from '#infra/engine/integrity/signer.js';

/** The key that signs anchors (operations contract 1, 3). */
@OpsController('ops/signing-keys', 'operations')
export class SigningKeysController {
  constructor(private readonly integrity: Integrity) {}

  @Post('', {
    id: 'rotateSigningKey',
    summary: 'From now on anchors are signed with a new key; the old one signs a last anchor first',
    who: OPERATOR,
    limit: 'form',
    answers: {
      201: {
        description: 'the new key is in use; `/audit/keys` has its public part',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['keyId'],
              properties: { keyId: { type: 'string', example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' } },
            },
          },
        },
      },
      409: { description: 'the key comes from LOGBOOK_SIGNING_KEY: change it there' },
    },
  })
  async rotate(@Call() { context, reply }: OpsCall, @StrictQuery() _query: object, @StrictBody() _body: object): Promise<object> {
    const { keyId, position } = await this.integrity.rotate(context).catch((error: unknown) => {
      if (error instanceof CannotSign) throw new Problem(409, error.message);
      throw error instanceof ChainBehind ? new Problem(503, error.message) : error;
    });
    setPosition(reply, position);
    return { keyId };
  }
}
