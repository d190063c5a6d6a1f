import { shaped } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { problemOf } from '#api/ops-kit/problem.js';
import { OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { bounded } from '#domain/shared/shape.js';
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
      201: shaped('the new key is in use; `/audit/keys` has its public part', {
        keyId: bounded('text', { example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' }),
      }),
    },
  })
  async rotate(@Call() { context, reply }: OpsCall): Promise<Readonly<{ keyId: string }>> {
    const { keyId, position } = await this.integrity.rotate(context).catch(problemOf(409, CannotSign)).catch(problemOf(503, ChainBehind));
    setPosition(reply, position);
    return { keyId };
  }
}
